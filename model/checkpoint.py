"""A trained model as a folder: weights, configuration, tokenizer, history.

``model.safetensors`` holds float16 weights, ``config.json`` the architecture and how it was
trained, ``tokenizer.json`` the vocabulary, ``history.jsonl`` the course of the training.
Nothing is ever unpickled: a checkpoint cannot run code.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from model.architectures import TRANSFORMER, AnyConfig, new_model, read_architecture
from model.encoder_decoder import Config, Model
from model.seed import seeded
from model.tokenizer import Tokenizer

WEIGHTS, CONFIG, TOKENIZER, HISTORY = (
    "model.safetensors",
    "config.json",
    "tokenizer.json",
    "history.jsonl",
)


class CheckpointError(ValueError):
    """A checkpoint that cannot be used; the message says why and what to do."""


def list_checkpoints(root: str | Path) -> list[str]:
    """Names of the folders below ``root`` that look like checkpoints, sorted."""
    return sorted(path.parent.name for path in Path(root).glob(f"*/{CONFIG}"))


def weights_of(model: Model) -> dict[str, Tensor]:
    """Every parameter once, by name: what belongs into a file."""
    return dict(model.named_parameters())


def save_checkpoint(
    folder: str | Path, model: Model, tokenizer: Tokenizer, training: dict[str, Any]
) -> None:
    """Write weights (float16), configuration and tokenizer.

    Args:
        folder: made if it does not exist.
        model: its parameters, float32.
        tokenizer: the one it was trained with.
        training: JSON values that say how the model came about.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    weights = {name: p.detach().half().contiguous() for name, p in weights_of(model).items()}
    save_file(weights, folder / WEIGHTS)
    tokenizer.save(folder / TOKENIZER)
    save_config(folder, model.config, training)


def save_config(folder: Path, config: Config, training: dict[str, Any]) -> None:
    """Write ``config.json`` alone."""
    values = {"architecture": vars(config), "training": training}
    (folder / CONFIG).write_text(json.dumps(values, indent=2) + "\n", encoding="utf-8")


def load_checkpoint(folder: str | Path) -> tuple[Model, Tokenizer, dict[str, Any]]:
    """Read a checkpoint folder.

    Returns:
        The model (float32, eval mode, on the CPU), its tokenizer, and the ``training`` part
        of its configuration.

    Raises:
        CheckpointError: a file is missing, cut off, not what it should be, or does not fit the
            architecture.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise CheckpointError(
            f"There is no checkpoint folder {folder}. Pick one of checkpoints/, or train one with "
            "python -m model.train."
        )
    if missing := [n for n in (CONFIG, WEIGHTS, TOKENIZER) if not (folder / n).is_file()]:
        raise CheckpointError(
            f"The checkpoint {folder} lacks {' and '.join(missing)}. Get the whole folder again, "
            "or train it anew."
        )
    config, training = _read_config(folder)
    tokenizer = _read_tokenizer(folder, config)
    with seeded(0):
        model = new_model(config)
    fill(model, read_weights(folder / WEIGHTS), folder)
    return model.eval(), tokenizer, training


def read_arch(folder: str | Path) -> str:
    """The architecture of a checkpoint, without its weights.

    Raises:
        CheckpointError: its configuration cannot be read.
    """
    return getattr(_read_config(Path(folder))[0], "arch", TRANSFORMER)


def read_history(folder: str | Path) -> list[dict[str, Any]]:
    """The lines of ``history.jsonl``; none if there is no such file.

    Each has at least a ``step`` and its ``seconds``. A last line that a crash cut off is left out.

    Raises:
        CheckpointError: the file is damaged.
    """
    path = Path(folder) / HISTORY
    if not path.is_file():
        return []
    try:
        whole_lines = path.read_text(encoding="utf-8").split("\n")[:-1]
        lines = [json.loads(line) for line in whole_lines]
        if not all(isinstance(line, dict) and {"step", "seconds"} <= set(line) for line in lines):
            raise ValueError("a line has no step or no seconds")
        return lines
    except (OSError, ValueError) as error:
        raise CheckpointError(
            f"The file {path} is damaged ({error}). Restore it, or remove it: it only holds the "
            "course of the training."
        ) from error


def _read_config(folder: Path) -> tuple[AnyConfig, dict[str, Any]]:
    try:
        values = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
        return read_architecture(values["architecture"]), values.get("training", {})
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise CheckpointError(
            f"The file {folder / CONFIG} does not describe a model ({error}). Restore it from "
            "where the checkpoint came from."
        ) from error


def _read_tokenizer(folder: Path, config: AnyConfig) -> Tokenizer:
    try:
        tokenizer = Tokenizer.load(folder / TOKENIZER)
    except ValueError as error:
        raise CheckpointError(f"{error}. Restore the file from where it came from.") from error
    if tokenizer.vocab_size != config.vocab_size:
        raise CheckpointError(
            f"The tokenizer of {folder} knows {tokenizer.vocab_size} tokens, its model "
            f"{config.vocab_size}: they do not belong together. Restore both from one checkpoint."
        )
    return tokenizer


def read_weights(path: Path) -> dict[str, Tensor]:
    """The tensors of a weights file by name; CheckpointError if it is damaged."""
    try:
        return load_file(path)
    except (SafetensorError, OSError, ValueError) as error:
        raise CheckpointError(
            f"The weights {path} are cut off or damaged ({error}). Get the file again."
        ) from error


@torch.no_grad()
def fill(model: Model, weights: dict[str, Tensor], where: Path) -> None:
    """Copy weights into a model; CheckpointError, with where they lie, if they do not fit."""
    wanted = weights_of(model)
    problems = [f"{name} is missing" for name in sorted(wanted.keys() - weights.keys())]
    problems += [f"{name} is unknown" for name in sorted(weights.keys() - wanted.keys())]
    problems += [
        f"{name} has shape {tuple(weights[name].shape)} instead of {tuple(p.shape)}"
        for name, p in wanted.items()
        if name in weights and weights[name].shape != p.shape
    ]
    if problems:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise CheckpointError(
            f"The weights of {where} do not fit its configuration: {problems[0]}{more}. "
            "Restore them and config.json from one checkpoint."
        )
    for name, p in wanted.items():
        p.copy_(weights[name])
