"""Save and load a trained model as a folder.

- ``model.safetensors``: the weights
- ``config.json``: the architecture, and how the model was trained
- ``tokenizer.json``: the vocabulary
- ``history.jsonl``: the course of the training, a line for every few hundred steps
- ``README.md``: the model's card

No file is a pickle, so a checkpoint cannot run code.
"""

import hashlib
import json
import shutil
from itertools import pairwise
from pathlib import Path
from typing import Any

import torch
from msgspec import convert

from model.checkpoint.architectures import TRANSFORMER, AnyConfig, config_to_json, read_architecture
from model.checkpoint.provenance import (
    ConfigFile,
    HistoryLine,
    TrainingFacts,
    check_settings_history,
)
from model.checkpoint.weights_file import (
    check_size,
    file_identity,
    read_model,
    read_tokenizer_hash,
    save_weights,
)
from model.files.checkpoint_error import CheckpointError
from model.files.folder_format import recognise_folder
from model.files.json_file import MAX_JSON_BYTES, checkpoint_errors, decode
from model.files.regular_file import exists, is_folder, is_regular, read_regular
from model.files.replacing import (
    list_folders,
    real_folder,
    recover,
    replacing_folder,
    resolve,
    write_text,
)
from model.hub.folder import is_hub_folder, read_settings
from model.hub.languages import read_languages
from model.hub.opening import open_hub_folder
from model.nn.encoder_decoder import Config, Model
from model.recurrent.config import RecurrentConfig
from model.tokenizers.byte_level.tokenizer import ByteLevelTokenizer
from model.tokenizers.tokenizer import Tokenizer
from model.transformer.config import ModelConfig

WEIGHTS = "model.safetensors"
CONFIG = "config.json"
TOKENIZER = "tokenizer.json"
HISTORY = "history.jsonl"
CARD = "README.md"
_MODEL_FILES = (WEIGHTS, CONFIG, TOKENIZER)
_MAX_CARD_BYTES = 100_000
_MAX_READS = 10  # attempts: a checkpoint that is replaced while it is being read is read again


def list_checkpoints(root: str | Path) -> list[str]:
    """Return the names of the folders below ``root`` that have a ``config.json``, sorted."""
    root = Path(root)
    return [name for name in list_folders(root) if exists(resolve(root / name) / CONFIG)]


def explain_other_folders(root: str | Path, limit: int) -> list[str]:
    """Return a sentence for each folder that ``list_checkpoints`` leaves out: what it is.

    Each sentence gives the remedy, too. Hidden folders are not explained.

    Args:
        root: as for ``list_checkpoints``.
        limit: the maximum number of sentences.
    """
    root = Path(root)
    others = [name for name in list_folders(root) if not name.startswith(".")]
    sentences = []
    for name in sorted({*others} - {*list_checkpoints(root)})[:limit]:
        try:
            _check_files(resolve(root / name))
        except CheckpointError as error:
            sentences.append(str(error))
    return sentences


def save_checkpoint(
    folder: str | Path,
    model: Model,
    tokenizer: Tokenizer,
    training: dict[str, Any],
    *,
    dtype: torch.dtype = torch.float16,
) -> None:
    """Write the weights, the configuration and the tokenizer of a model into a folder.

    A checkpoint that is there already is replaced whole or not at all, even if this process is
    killed. Other files of its folder stay.

    Args:
        folder: is made if it does not exist.
        model: any architecture.
        tokenizer: the model's.
        training: JSON values that say how the model was trained.
        dtype: of the weights in the file.

    Raises:
        OSError: the disk is full, or the folder is not writable.
    """
    folder = real_folder(Path(folder))
    recover(folder)
    if not exists(folder / CONFIG):
        folder.mkdir(parents=True, exist_ok=True)
        _write_model_files(folder, model, tokenizer, training, dtype)
        return
    with replacing_folder(folder) as new_folder:
        shutil.copytree(folder, new_folder, ignore=lambda *_: _MODEL_FILES)
        _write_model_files(new_folder, model, tokenizer, training, dtype)


def _write_model_files(
    folder: Path,
    model: Model,
    tokenizer: Tokenizer,
    training: dict[str, Any],
    dtype: torch.dtype,
) -> None:
    """Write tokenizer and weights, then ``config.json``, which marks a folder as a checkpoint.

    Args:
        folder: an existing folder.
        model: the model.
        tokenizer: its tokenizer.
        training: the entry ``training`` of ``config.json``.
        dtype: the number format of the weights in the file.
    """
    tokenizer.save(folder / TOKENIZER)
    save_weights(folder / WEIGHTS, model, tokenizer=_hash(folder / TOKENIZER), dtype=dtype)
    save_config(folder, model.config, training)


def save_config(folder: Path, config: Config, training: dict[str, Any]) -> None:
    """Write a configuration and the facts about the training to ``config.json``.

    Args:
        folder: where to write it.
        config: the architecture.
        training: JSON values that say how the model was trained.
    """
    values = {"architecture": config_to_json(config), "training": training}
    write_text(folder / CONFIG, json.dumps(values, indent=2) + "\n")


def load_checkpoint(folder: str | Path) -> tuple[Model, Tokenizer, dict[str, Any]]:
    """Load the model, the tokenizer and the facts about the training from a checkpoint.

    Returns:
        The model (float32, eval mode, on the CPU), its tokenizer, and the part "training" of its
        configuration.

    Raises:
        CheckpointError: a file is missing or damaged, or the files do not belong together.
    """
    folder = Path(folder)
    if is_hub_folder(resolve(folder)):
        return open_hub_folder(resolve(folder))
    for _ in range(_MAX_READS):
        before = file_identity(resolve(folder) / CONFIG)
        try:
            return _load(resolve(folder))
        except CheckpointError:
            if file_identity(resolve(folder) / CONFIG) == before:
                raise
    return _load(resolve(folder))


def _check_files(folder: Path) -> None:
    """Raise CheckpointError if a folder lacks a file of a checkpoint: it may be something else."""
    missing = [name for name in (CONFIG, WEIGHTS, TOKENIZER) if not is_regular(folder / name)]
    if missing and (folder_format := recognise_folder(folder)):
        raise CheckpointError(f"{folder} is {folder_format}.")
    if not is_folder(folder):
        raise CheckpointError(
            f"There is no checkpoint folder {folder}. Choose one of checkpoints/, or train one "
            "with python -m model.train."
        )
    if len(missing) == len(_MODEL_FILES):
        raise CheckpointError(
            f"{folder} holds no model: neither {CONFIG} nor weights nor a tokenizer is in it. "
            "Choose a folder of checkpoints/, or train one with python -m model.train."
        )
    if missing:
        raise CheckpointError(
            f"The checkpoint {folder} lacks {' and '.join(missing)}. Get the whole folder again, "
            "or train it anew."
        )


def _load(folder: Path) -> tuple[Model, Tokenizer, dict[str, Any]]:
    """Load a checkpoint once; see ``load_checkpoint``, which tries again if it is replaced."""
    _check_files(folder)
    config, training = read_config(folder)
    tokenizer = _read_tokenizer(folder, config)
    check_size(folder / WEIGHTS, config)
    if read_tokenizer_hash(folder / WEIGHTS) not in (None, _hash(folder / TOKENIZER)):
        raise CheckpointError(
            f"The weights of {folder} were trained with another tokenizer than the one beside "
            "them, or its file was written anew, as by an older version of the library tokenizers. "
            "Restore both from one checkpoint."
        )
    return read_model(config, folder / WEIGHTS), tokenizer, training


def read_arch(folder: str | Path) -> str:
    """Return the name of a checkpoint's architecture. Errors: see ``read_config``.

    A model of the Hub is a Transformer.
    """
    if is_hub_folder(resolve(Path(folder))):
        return TRANSFORMER
    config, _ = read_config(Path(folder))
    return config.arch if isinstance(config, RecurrentConfig) else TRANSFORMER


def read_training(folder: Path) -> dict[str, Any]:
    """Return the stored facts about a model's training. Errors: see ``read_config``.

    Of a model of the Hub only its languages are known.
    """
    if is_hub_folder(resolve(folder)):
        return {"languages": read_languages(resolve(folder))}
    return read_config(folder)[1]


def read_sizes(folder: Path) -> tuple[int, int]:
    """Return the number of layers and of heads of a Transformer, without loading its weights.

    A number that a model of the Hub does not state is 0.

    Raises:
        CheckpointError: as ``read_config``.
    """
    if is_hub_folder(resolve(folder)):
        settings = read_settings(resolve(folder))
        return settings.n_layers, settings.n_heads
    config, _ = read_config(folder)
    assert isinstance(config, ModelConfig)
    return config.n_layers, config.n_heads


def read_config(folder: Path) -> tuple[AnyConfig, dict[str, Any]]:
    """Read the configuration and the facts about the training from ``config.json``.

    Returns:
        The architecture, and the part "training", which says how the model was trained.

    Raises:
        CheckpointError: the file is missing or damaged, or does not describe a model.
    """
    path = resolve(folder) / CONFIG
    with checkpoint_errors(
        path,
        fault="does not describe a model",
        remedy="Restore it from where the checkpoint came from.",
    ):
        values = decode(read_regular(path, MAX_JSON_BYTES), ConfigFile)
        training = values.get("training", {})
        facts = convert(training, TrainingFacts)
        if "converted_from" in training:
            raise CheckpointError(
                f"The folder {folder} was made by model.convert_marian, which is gone; open the "
                "original Hugging Face folder as it is."
            )
        check_settings_history(facts.get("settings_history", []))
        return read_architecture(values["architecture"]), training


def read_history(folder: str | Path) -> list[HistoryLine]:
    """Read the lines of ``history.jsonl``, in order.

    Returns:
        All whole lines. A last line that a crash cut off is ignored. Empty if there is no such
        file.

    Raises:
        CheckpointError: the file is damaged.
    """
    path = resolve(Path(folder)) / HISTORY
    if not exists(path):
        return []
    remedy = "Restore it, or remove it: it only holds the course of the training."
    with checkpoint_errors(path, remedy=remedy):
        lines = [decode(line, HistoryLine) for line in whole_lines(path)]
        for before, line in pairwise(lines):
            if line["step"] <= before["step"] or line["seconds"] < before["seconds"]:
                raise ValueError(f"step {line['step']} comes after step {before['step']}")
        return lines


def read_card(folder: Path, max_bytes: int = _MAX_CARD_BYTES) -> str:
    """Read the model card ``README.md``; return "" if it is missing or unreadable."""
    try:
        return read_regular(resolve(folder) / CARD, max_bytes).decode("utf-8", "replace")
    except OSError:
        return ""


def whole_lines(path: Path) -> list[bytes]:
    """Return the lines of a file that end with a newline. Raise OSError if it is unreadable."""
    return read_regular(path, MAX_JSON_BYTES).split(b"\n")[:-1]


def _read_tokenizer(folder: Path, config: AnyConfig) -> ByteLevelTokenizer:
    """Read the tokenizer. Raise CheckpointError if it is damaged or of another model."""
    try:
        tokenizer = ByteLevelTokenizer.load(folder / TOKENIZER)
    except ValueError as error:
        raise CheckpointError(f"{error}. Restore the file from where it came from.") from error
    if tokenizer.vocab_size != config.vocab_size:
        raise CheckpointError(
            f"The tokenizer of {folder} has {tokenizer.vocab_size} tokens, its model "
            f"{config.vocab_size}: they do not belong together. Restore both from one checkpoint."
        )
    return tokenizer


def _hash(path: Path) -> str:
    with checkpoint_errors(path, fault="cannot be read", remedy="Get it again."):
        return hashlib.sha256(read_regular(path, MAX_JSON_BYTES)).hexdigest()
