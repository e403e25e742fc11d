"""Open a folder of the Hub with the library transformers."""

import logging
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

import torch

from model.files.checkpoint_error import CheckpointError
from model.files.regular_file import exists
from model.hub.attention import NAME, register
from model.hub.families import FAMILIES
from model.hub.folder import (
    CONFIG,
    REMEDY,
    TOKENIZER_CONFIG,
    HubSettings,
    check_files,
    check_memory,
    check_padding,
    is_guided,
    read_settings,
    read_tensors,
    tokenizer_class,
    weight_files,
)
from model.hub.languages import read_languages, translation_prefixes
from model.hub.model import HubTransformer
from model.hub.tokenizer import HubTokenizer

_MAX_NAMES = 3  # of missing weights, in a message
# What version 5 of the library misses in some files that version 4 wrote. Their encoder and decoder
# share one embedding, which is in the file once, and their output matrix has weights of its own
# (tie_word_embeddings: false). Version 5 gives the embedding to both sides only if it may tie
# weights. Even then it does not tie an output matrix for which the file has other weights.
_TWO_EMBEDDINGS = ["model.decoder.embed_tokens.weight", "model.encoder.embed_tokens.weight"]
_OUTPUT_BIAS = "final_logits_bias"
_TOKENIZER_REMEDY = "Copy the tokenizer's files from the model that it was fine-tuned from."

# While the library creates a model, it replaces functions of PyTorch and of its own in all threads.
# If two models were opened at once, one of them would lose its shared weights.
_ONE_AT_A_TIME = Lock()


def open_hub_folder(folder: Path) -> tuple[HubTransformer, HubTokenizer, dict[str, Any]]:
    """Open a Hub model.

    Returns:
        The model (float32, eval mode, on the CPU), its tokenizer, and what is known of its
        training, as ``config.json`` of this project says it.

    Raises:
        CheckpointError: a file is missing or damaged, the model does not fit into the memory, it is
            of a different family, or the library is not installed.
    """
    settings = read_settings(folder)
    check_files(folder)
    check_padding(folder, settings)
    check_memory(folder, settings)
    with _ONE_AT_A_TIME:
        _require_library(folder)
        _silence_library()
        model = _open_model(folder)
        tokenizer = _open_tokenizer(folder, model, settings)
    training = {
        "languages": tokenizer.short_languages(read_languages(folder)),
        "guided_alignment": is_guided(folder),
    }
    return model, tokenizer, training


def _require_library(folder: Path) -> None:
    """Raise CheckpointError if the library transformers is not installed."""
    try:
        import transformers  # noqa: F401
    except ImportError as error:
        raise CheckpointError(
            f"{folder.name} is a model of the Hugging Face Hub, which the library transformers "
            "runs, and it is not installed here: pip install -r requirements-hub.txt "
            "-c constraints.txt"
        ) from error


def _silence_library() -> None:
    """Let the library log errors only, and draw no progress bars.

    Its warnings are about weights and settings that it ignores or replaces. What matters of them is
    checked here, and ends in one sentence. Who has chosen a level of the library's log keeps it.
    """
    from transformers.utils import logging as library_log

    library_log.disable_progress_bar()
    if library_log.get_verbosity() == logging.WARNING:  # the library's default
        library_log.set_verbosity(logging.ERROR)


@contextmanager
def _errors_of_library(folder: Path, files: str, remedy: str = REMEDY) -> Iterator[None]:
    """Convert all errors of the library to CheckpointError, and silence its warnings.

    Args:
        folder: of the model.
        files: what the library reads, for the message.
        remedy: a whole sentence, for its end.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except (CheckpointError, MemoryError):  # the latter says nothing of the file
        raise
    except Exception as error:  # a damaged file makes the library raise many kinds of errors
        first_line = next(iter(str(error).splitlines()), type(error).__name__)
        raise CheckpointError(
            f"The library transformers cannot open {files} of {folder.name} ({first_line}). "
            f"{remedy}"
        ) from error


def _load_weights(folder: Path, *, may_tie: bool = False) -> tuple[Any, list[str], list[str]]:
    """Load the library's model. Return it with the names of missing and of unexpected weights.

    With ``may_tie`` the library may tie weights, whatever ``config.json`` says.
    """
    from transformers import AutoModelForSeq2SeqLM

    settings = {"tie_word_embeddings": True} if may_tie else {}
    library_model, report = AutoModelForSeq2SeqLM.from_pretrained(
        folder,
        local_files_only=True,
        trust_remote_code=False,
        weights_only=True,  # a pickle can make tensors only, and runs no code
        dtype=torch.float32,
        attn_implementation=NAME,
        output_loading_info=True,
        **settings,
    )
    return library_model, sorted(report["missing_keys"]), sorted(report["unexpected_keys"])


@contextmanager
def _errors_of_shapes(folder: Path) -> Iterator[None]:
    """If the library cannot open the weights because of a shape, name the tensor.

    The library writes the names of such tensors only into its log; its error does not name them.
    """
    from transformers import AutoConfig, AutoModelForSeq2SeqLM

    try:
        yield
    except RuntimeError as error:
        with torch.device("meta"):  # shapes without memory
            config = AutoConfig.from_pretrained(folder, trust_remote_code=False)
            empty = AutoModelForSeq2SeqLM.from_config(config)
        shape_of = {name: tuple(tensor.shape) for name, tensor in empty.state_dict().items()}
        for path in weight_files(folder):
            for name, tensor in read_tensors(path):
                shape = tuple(tensor.shape)
                if shape != shape_of.get(name, shape):
                    remedy = "Take both from the same model."
                    if name == _OUTPUT_BIAS:
                        remedy = (
                            "The library pads a vocabulary (pad_to_multiple_of) without this bias: "
                            "resize it without padding, and save the model again."
                        )
                    raise CheckpointError(
                        f"The weights of {folder.name} do not fit its {CONFIG}: {name} has the "
                        f"shape {shape} in the file, and {shape_of[name]} by the configuration. "
                        f"{remedy}"
                    ) from error
        raise


def _open_model(folder: Path) -> HubTransformer:
    """Open the model, and check that its weights are complete, finite and of its size."""
    register()
    with _errors_of_library(folder, "the weights"), _errors_of_shapes(folder):
        library_model, missing, unexpected = _load_weights(folder)
        if missing == _TWO_EMBEDDINGS:
            library_model, missing, unexpected = _load_weights(folder, may_tie=True)
        if missing:
            raise CheckpointError(
                f"The weights of {folder.name} lack {', '.join(missing[:_MAX_NAMES])}"
                f"{' and others' if len(missing) > _MAX_NAMES else ''}: it is perhaps a part of a "
                f"model, or a model for a different task. {REMEDY}"
            )
        for name, p in library_model.named_parameters():
            if not torch.isfinite(p).all():
                raise CheckpointError(
                    f"The weights of {folder.name} are damaged: {name} has a value that is not "
                    f"finite. {REMEDY}"
                )
        model = HubTransformer(library_model).eval()
        _check_blocks(folder, model, unexpected)
        return model


def _check_blocks(folder: Path, model: HubTransformer, unexpected: list[str]) -> None:
    """Check that the file has no more blocks than the model: the library would ignore the others.

    Args:
        folder: of the model.
        model: made as its ``config.json`` says.
        unexpected: names of weights that the library did not use.

    Raises:
        CheckpointError: it has more blocks.
    """
    blocks = FAMILIES[model.config.model_type].blocks
    for name in unexpected:
        number = re.search(rf"coder\.{blocks}\.(\d+)\.", name)
        if number and int(number[1]) >= model.config.n_layers:
            raise CheckpointError(
                f"The weights of {folder.name} do not fit its {CONFIG}: the file has {name}, and "
                "the configuration has no such block. Take both from the same model."
            )


def _open_tokenizer(folder: Path, model: HubTransformer, settings: HubSettings) -> HubTokenizer:
    """Open the tokenizer of a folder with the library.

    Args:
        folder: the folder of the model.
        model: the opened model.
        settings: the settings in its ``config.json``.

    Raises:
        CheckpointError: the library cannot open the tokenizer.
    """
    from transformers import AutoTokenizer

    class_name = tokenizer_class(folder)
    files = "the tokenizer" if class_name is None else f"the tokenizer ({class_name})"
    remedy = _TOKENIZER_REMEDY
    if not exists(folder / TOKENIZER_CONFIG):
        remedy = (
            f"Its {TOKENIZER_CONFIG} is missing, which names the tokenizer's class: copy it from "
            "the model that it was fine-tuned from."
        )
    with _errors_of_library(folder, files, remedy):
        tokenizer = AutoTokenizer.from_pretrained(
            folder, local_files_only=True, trust_remote_code=False
        )
        return HubTokenizer(
            tokenizer,
            model.config,
            model.library_model.generation_config,
            translation_prefixes(settings.task_specific_params),
        )
