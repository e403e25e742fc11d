"""Recognise a folder of the Hugging Face Hub, and check its files before loading.

Each problem becomes one sentence that says what to do; the library would raise a long error of its
own, or fill the memory.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import torch
from safetensors import safe_open
from torch import Tensor

from model.files.checkpoint_error import CheckpointError
from model.files.folder_format import recognise_folder
from model.files.json_file import read_json
from model.files.regular_file import PointerError, exists, open_regular, read_regular
from model.hub.families import FAMILIES, Family

CONFIG = "config.json"
REMEDY = "Get the whole folder again from where it came from."
_WHOLE = ("model.safetensors", "pytorch_model.bin")  # the first one that exists is read
# A folder has some of these files of a tokenizer. Its family says which it needs.
TOKENIZER_FILES = (
    "tokenizer.json",
    "source.spm",
    "sentencepiece.bpe.model",
    "spiece.model",
    "vocab.json",
)
TOKENIZER_CONFIG = "tokenizer_config.json"
# Class of a tokenizer that needs other files than its family -> as ``Family.tokenizer_files``
_FILES_OF_CLASS = {"M2M100Tokenizer": (("sentencepiece.bpe.model", "vocab.json"),)}
_HALF_PRECISION = ("float16", "bfloat16")
_CARD = "README.md"
_MAX_CARD_BYTES = 1_000_000
_GUIDED = "transformer-align"  # as the cards of OPUS-MT call models with guided alignment
_SPARE = 1.1  # factor that leaves memory for one sentence, beside the weights
# Names for ``os.sysconf``
_PAGES = "SC_PHYS_PAGES"
_PAGE_SIZE = "SC_PAGE_SIZE"


class HubSettings(msgspec.Struct, frozen=True):
    """The values of ``config.json`` that are needed before the library reads the file."""

    model_type: str
    torch_dtype: str | None = None
    dtype: str | None = None  # newer files have this name
    encoder_layers: int = 0
    encoder_attention_heads: int = 0
    num_layers: int = 0  # T5 has other names for these two
    num_heads: int = 0
    task_specific_params: Any = None  # of T5: the prefix of each task
    pad_token_id: int | None = None
    decoder_vocab_size: int | None = None  # of Marian models with two vocabularies
    quantization_config: Any = None  # of weights with 8 bits or fewer

    @property
    def n_layers(self) -> int:
        """The number of encoder blocks; 0 if the file does not state it."""
        return self.encoder_layers or self.num_layers

    @property
    def n_heads(self) -> int:
        """The number of heads of each attention; 0 if the file does not state it."""
        return self.encoder_attention_heads or self.num_heads

    @property
    def is_half(self) -> bool:
        """Whether the weights have 16 bits, according to the file."""
        return (self.dtype or self.torch_dtype) in _HALF_PRECISION


class _Index(msgspec.Struct, frozen=True):
    """``model.safetensors.index.json``: the list of weight files of a sharded model."""

    weight_map: dict[str, str]


def is_hub_folder(folder: Path) -> bool:
    """Return whether ``config.json`` is a Hub file. Files of this project have no "model_type"."""
    try:
        return "model_type" in read_json(folder / CONFIG, dict[str, Any], remedy=REMEDY)
    except CheckpointError:
        return False


def read_settings(folder: Path) -> HubSettings:
    """Read ``config.json`` of a Hub folder.

    Raises:
        CheckpointError: it is damaged, the model is of a different family, or its weights are
            quantized.
    """
    settings = read_json(folder / CONFIG, HubSettings, remedy=REMEDY)
    if settings.model_type not in FAMILIES:
        raise CheckpointError(
            f"{folder.name} holds a model of the type {settings.model_type!r}, and only "
            f"translation models of the types {', '.join(FAMILIES)} are opened. Choose one of "
            "these."
        )
    if settings.quantization_config is not None:
        raise CheckpointError(
            f"The weights of {folder.name} are quantized, and only weights with 16 or 32 bits are "
            "opened. Choose the model from which it was made."
        )
    return settings


def check_files(folder: Path) -> None:
    """Check that all files exist, and that git-lfs has fetched them.

    Raises:
        CheckpointError: a file is missing or a pointer of git-lfs.
    """
    weights = weight_files(folder)
    tokenizers = _tokenizer_files(folder, FAMILIES[read_settings(folder).model_type])
    for path in (*weights, *tokenizers):
        try:
            open_regular(path).close()
        except PointerError as error:
            raise CheckpointError(f"The file {path} cannot be read: {error}.") from error
        except OSError as error:
            raise CheckpointError(f"The file {path} cannot be read: {error}. {REMEDY}") from error


def _tokenizer_files(folder: Path, family: Family) -> list[Path]:
    """Return the tokenizer files that exist.

    Raises:
        CheckpointError: files of the tokenizer are missing.
    """
    choices = _FILES_OF_CLASS.get(str(tokenizer_class(folder)), family.tokenizer_files)
    missing = [[name for name in names if not exists(folder / name)] for names in choices]
    if [] in missing:
        return [folder / name for name in TOKENIZER_FILES if exists(folder / name)]
    needed = " or ".join(", ".join(names) for names in missing)
    also = "" if exists(folder / TOKENIZER_CONFIG) else f", and {TOKENIZER_CONFIG}"
    raise CheckpointError(
        f"The tokenizer of {folder.name} is not complete (fine-tuning often does not save it). "
        f"Copy from the model that it was fine-tuned from: {needed}{also}."
    )


def tokenizer_class(folder: Path) -> str | None:
    """Return the class of the library that opens a tokenizer; None if its folder names none.

    Raises:
        CheckpointError: the settings of the tokenizer are damaged.
    """
    path = folder / TOKENIZER_CONFIG
    settings = read_json(path, dict[str, Any], remedy=REMEDY) if exists(path) else {}
    name = settings.get("tokenizer_class")
    return None if name is None else str(name)


def check_padding(folder: Path, settings: HubSettings) -> None:
    """Check that the padding id is in both vocabularies, because the library uses one id for both.

    Raises:
        CheckpointError: the target's vocabulary is too small for it.
    """
    pad_id = settings.pad_token_id
    n_target = settings.decoder_vocab_size
    if pad_id is not None and n_target is not None and pad_id >= n_target:
        raise CheckpointError(
            f"{folder.name} has two vocabularies, and its padding (pad_token_id {pad_id}) is no "
            f"token of the target's, which has {n_target} (decoder_vocab_size): the library "
            "transformers cannot open such a folder. Convert the original Marian model again with "
            f"a padding below {n_target}."
        )


def check_memory(folder: Path, settings: HubSettings) -> None:
    """Check, before loading, that the model fits into the free memory.

    Raises:
        CheckpointError: it does not, or its weights are missing.
    """
    needed = memory_of_folder(folder, settings)
    available = available_memory()
    if available is not None and needed > available:
        raise CheckpointError(
            f"{folder.name} needs {needed / 1e9:.1f} GB of memory, and this machine has "
            f"{available / 1e9:.1f} GB free: choose a smaller model, or a larger machine."
        )


def memory_of_folder(folder: Path, settings: HubSettings | None = None) -> int:
    """Return the bytes of memory that the model of a folder needs when it is opened.

    Args:
        folder: of the Hub.
        settings: of the model; None reads them.

    Raises:
        CheckpointError: the configuration is damaged, or weights are missing.
    """
    n_bytes = sum(path.stat().st_size for path in weight_files(folder))
    return memory_needed(n_bytes, settings or read_settings(folder))


def memory_needed(n_bytes: int, settings: HubSettings) -> int:
    """Return the bytes of memory that a model needs when it is opened.

    Args:
        n_bytes: of its files of weights.
        settings: of the model.
    """
    if settings.is_half:
        n_bytes *= 2  # the model computes with 32 bits
    return int(n_bytes * _SPARE)


def weight_files(folder: Path) -> list[Path]:
    """Return the weight files: a single file, or the files that an index lists.

    Raises:
        CheckpointError: there are none, or a file that the index names is missing.
    """
    for name in _WHOLE:
        path = folder / name
        if exists(path):
            return [path]
        index = folder / f"{name}.index.json"
        if exists(index):
            names = sorted({*read_json(index, _Index, remedy=REMEDY).weight_map.values()})
            for shard in names:
                if Path(shard).name != shard or not exists(folder / shard):
                    raise CheckpointError(
                        f"{folder.name} lacks {shard}, which {index.name} names. {REMEDY}"
                    )
            return [folder / shard for shard in names]
    if folder_format := recognise_folder(folder):
        raise CheckpointError(f"{folder} is {folder_format}.")
    raise CheckpointError(f"{folder.name} has no weights: neither {' nor '.join(_WHOLE)}. {REMEDY}")


def is_guided(folder: Path) -> bool:
    """Return whether one head of a Marian model was trained with word alignments.

    Only its card says so, none of its settings.

    Source: Chen et al. 2016, "Guided Alignment Training for Topic-Aware Neural Machine
    Translation".
    """
    if read_settings(folder).model_type != "marian":
        return False
    try:
        return _GUIDED.encode() in read_regular(folder / _CARD, _MAX_CARD_BYTES)
    except OSError:  # it has no card
        return False


def read_first_query_matrix(folder: Path) -> Tensor:
    """Return W_Q of the first attention, without loading the model. It identifies the weights.

    Raises:
        CheckpointError: the files are damaged, or have no such matrix.
    """
    family = FAMILIES[read_settings(folder).model_type]
    attention = f"{family.blocks}.0.{family.self_attention}.{family.w_q}.weight"
    for path in weight_files(folder):
        for name, tensor in read_tensors(path):
            if name.endswith(f"encoder.{attention}"):
                return tensor
    raise CheckpointError(f"The weights of {folder.name} have no {attention}. {REMEDY}")


def read_tensors(path: Path) -> Iterator[tuple[str, Tensor]]:
    """Yield the name of each tensor of a file, and the tensor, which is read lazily.

    Raises:
        CheckpointError: the file is damaged.
    """
    try:
        if path.suffix == ".safetensors":
            with safe_open(path, "pt") as file:
                for name in file.keys():  # noqa: SIM118 - the file is not a dict
                    yield name, file.get_tensor(name)
        else:
            yield from torch.load(path, map_location="cpu", weights_only=True, mmap=True).items()
    except MemoryError:  # it says nothing of the file
        raise
    except Exception as error:  # a damaged file makes the libraries raise many kinds of errors
        raise CheckpointError(f"The weights {path} are damaged. {REMEDY}") from error


def available_memory() -> int | None:
    """Return the bytes of memory that a process can still use; None if that is not known.

    On systems without ``/proc`` it is the memory of the whole machine.
    """
    limits = []
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                limits.append(1024 * int(line.split()[1]))
        group = Path("/sys/fs/cgroup")
        limit = (group / "memory.max").read_text().strip()
        if limit != "max":
            used = (group / "memory.current").read_text()
            limits.append(int(limit) - int(used))
    except (OSError, ValueError):
        pass  # another system, or no such group
    if not limits and _PAGES in getattr(os, "sysconf_names", {}):
        limits.append(os.sysconf(_PAGES) * os.sysconf(_PAGE_SIZE))
    return min(limits, default=None)
