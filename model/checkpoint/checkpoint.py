"""A trained model as a folder: ``model.safetensors`` holds the weights, ``config.json`` the
architecture and how it was trained, ``tokenizer.json`` the vocabulary, ``history.jsonl`` the course
of the training. Nothing is ever unpickled: a checkpoint cannot run code.
"""

import hashlib
import json
import shutil
from contextlib import nullcontext
from itertools import pairwise
from pathlib import Path
from typing import Any

import torch
from msgspec import Raw, convert

from model.checkpoint.architectures import TRANSFORMER, AnyConfig, config_to_json, read_architecture
from model.checkpoint.provenance import ConfigFile, Facts, Line, check_settings_history
from model.checkpoint.weights_file import check_size, file_identity, read_model, save_weights
from model.files.checkpoint_error import CheckpointError
from model.files.json_file import MAX_JSON_BYTES, checkpoint_errors, decode, read_json
from model.files.regular_file import exists, is_folder, is_regular, read_regular
from model.files.replacing import folder_names, recover, replacing_folder, resolve, write_text
from model.nn.encoder_decoder import Config, Model
from model.tokenizers.byte_level.tokenizer import ByteLevelTokenizer
from model.tokenizers.sentencepiece.tokenizer import PiecesFile, PieceTokenizer
from model.tokenizers.tokenizer import Tokenizer

WEIGHTS, CONFIG, TOKENIZER = "model.safetensors", "config.json", "tokenizer.json"
HISTORY, CARD = "history.jsonl", "README.md"
_OWN = (WEIGHTS, CONFIG, TOKENIZER)
_LARGEST_CARD = 100_000  # bytes
_TRIES = 10  # a checkpoint that is replaced while it is read is read again


def list_checkpoints(root: str | Path) -> list[str]:
    """Names of the folders below ``root`` that look like checkpoints, sorted."""
    root = Path(root)
    return [name for name in folder_names(root) if exists(resolve(root / name) / CONFIG)]


def save_checkpoint(
    folder: str | Path,
    model: Model,
    tokenizer: Tokenizer,
    training: dict[str, Any],
    *,
    dtype: torch.dtype = torch.float16,
) -> None:
    """Write weights, configuration and tokenizer into a folder, which is made if need be.

    A checkpoint that is there already is replaced whole or not at all, whenever this is killed.
    What else lies in its folder stays.

    ``training`` are JSON values that say how the model came about, ``dtype`` is that of the weights
    in the file. OSError if the disk is full, or the folder cannot be written to.
    """
    folder = Path(folder)
    recover(folder)
    replaced = exists(folder / CONFIG)
    with replacing_folder(folder) if replaced else nullcontext(folder) as place:
        if replaced:
            shutil.copytree(folder, place, ignore=lambda *_: _OWN)
        place.mkdir(parents=True, exist_ok=True)
        tokenizer.save(place / TOKENIZER)
        save_weights(place / WEIGHTS, model, tokenizer=_hash(place / TOKENIZER), dtype=dtype)
        save_config(place, model.config, training)  # the last: with it this is a checkpoint


def save_config(folder: Path, config: Config, training: dict[str, Any]) -> None:
    """Write ``config.json`` alone."""
    values = {"architecture": config_to_json(config), "training": training}
    write_text(folder / CONFIG, json.dumps(values, indent=2) + "\n")


def load_checkpoint(folder: str | Path) -> tuple[Model, Tokenizer, dict[str, Any]]:
    """The model of a folder (float32, eval mode, on the CPU), its tokenizer, and the ``training``
    part of its configuration; CheckpointError where a file is missing, damaged or does not fit."""
    folder = Path(folder)
    for _ in range(_TRIES):
        before = file_identity(resolve(folder) / CONFIG)
        try:
            return _load(resolve(folder))
        except CheckpointError:
            if file_identity(resolve(folder) / CONFIG) == before:
                raise
    return _load(resolve(folder))


def _load(folder: Path) -> tuple[Model, Tokenizer, dict[str, Any]]:
    if not is_folder(folder):
        raise CheckpointError(
            f"There is no checkpoint folder {folder}. Pick one of checkpoints/, or train one with "
            "python -m model.train."
        )
    if missing := [n for n in (CONFIG, WEIGHTS, TOKENIZER) if not is_regular(folder / n)]:
        raise CheckpointError(
            f"The checkpoint {folder} lacks {' and '.join(missing)}. Get the whole folder again, "
            "or train it anew."
        )
    config, training = read_config(folder)
    tokenizer = _read_tokenizer(folder, config)
    trained_with = check_size(folder / WEIGHTS, config)
    if trained_with not in (None, _hash(folder / TOKENIZER)):
        raise CheckpointError(
            f"The weights of {folder} were trained with another tokenizer than the one beside "
            "them, or its file was written anew, as by an older version of the library tokenizers. "
            "Restore both from one checkpoint."
        )
    return read_model(config, folder / WEIGHTS), tokenizer, training


def read_arch(folder: str | Path) -> str:
    """The name of a checkpoint's architecture; errors as ``read_config``."""
    return getattr(read_config(Path(folder))[0], "arch", TRANSFORMER)


def read_config(folder: Path) -> tuple[AnyConfig, dict[str, Any]]:
    """The architecture of a checkpoint and how it came about; CheckpointError without one."""
    path, fault = resolve(folder) / CONFIG, "does not describe a model"
    remedy = "Restore it from where the checkpoint came from."
    values = read_json(path, ConfigFile, fault=fault, remedy=remedy)
    training = values.get("training", {})
    with checkpoint_errors(path, fault=fault, remedy=remedy):
        check_settings_history(convert(training, Facts).get("settings_history", []))
        return read_architecture(values["architecture"]), training


def read_history(folder: str | Path) -> list[Line]:
    """The lines of ``history.jsonl``, in order, without a last one that a crash cut off; none if
    there is no such file, CheckpointError if it is damaged."""
    path = resolve(Path(folder)) / HISTORY
    if not exists(path):
        return []
    remedy = "Restore it, or remove it: it only holds the course of the training."
    with checkpoint_errors(path, remedy=remedy):
        lines = [decode(line, Line) for line in whole_lines(path)]
        for before, line in pairwise(lines):
            if line["step"] <= before["step"] or line["seconds"] < before["seconds"]:
                raise ValueError(f"step {line['step']} stands after step {before['step']}")
        return lines


def read_card(folder: Path, largest: int = _LARGEST_CARD) -> str:
    """What ``README.md`` says of the model; empty where there is none that can be read."""
    try:
        return read_regular(resolve(folder) / CARD, largest).decode("utf-8", "replace")
    except OSError:
        return ""


def whole_lines(path: Path) -> list[bytes]:
    """The lines of a file that came to their end; OSError if it cannot be read."""
    return read_regular(path, MAX_JSON_BYTES).split(b"\n")[:-1]


def read_tokenizer(path: Path) -> Tokenizer:
    """Read ``tokenizer.json``, of whichever kind it is; ValueError if it is not as that is made."""
    try:
        content = read_regular(path, MAX_JSON_BYTES)
        if "kind" in decode(content, dict[str, Raw]):  # one that was trained here names none
            return PieceTokenizer(decode(content, PiecesFile))
    except (OSError, ValueError) as error:
        raise ValueError(f"cannot read the tokenizer {path}: {error}") from error
    return ByteLevelTokenizer.load(path)


def _read_tokenizer(folder: Path, config: AnyConfig) -> Tokenizer:
    try:
        tokenizer = read_tokenizer(folder / TOKENIZER)
    except ValueError as error:
        raise CheckpointError(f"{error}. Restore the file from where it came from.") from error
    own = getattr(config, "src_vocab_size", None)
    for known, expected in (
        (tokenizer.vocab_size, config.vocab_size),
        (tokenizer.src_vocab_size, config.vocab_size if own is None else own),
    ):
        if known != expected:
            raise CheckpointError(
                f"The tokenizer of {folder} knows {known} tokens, its model {expected}: they do "
                "not belong together. Restore both from one checkpoint."
            )
    return tokenizer


def _hash(path: Path) -> str:
    with checkpoint_errors(path, fault="cannot be read", remedy="Get it again."):
        return hashlib.sha256(read_regular(path, MAX_JSON_BYTES)).hexdigest()
