"""The file from which a training goes on: all tensors, and what they were made with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct
from safetensors.torch import save_file
from torch import Tensor

from model.checkpoint.checkpoint import check_settings_history
from model.checkpoint.weights_file import finite, opened
from model.files.checkpoint_error import CheckpointError
from model.files.json_file import Count, Number, Positive, Setting, Text, decode
from model.files.regular_file import is_there
from model.files.replacing import replacing
from model.files.schemas import Before

STATE = "training.safetensors"
SettingsHistory = list[dict[str, Setting]]
_FAULT = "cannot be resumed from"
_REMEDY = "Restore it, or remove it and train anew."


class Progress(Struct, kw_only=True):
    """How far a run has got; with the tensors, all that is needed to go on.

    Args:
        step: updates made.
        epochs: whole epochs behind this one; an epoch visits every source sentence once.
        part: parts of this epoch behind us, where the corpus is larger than memory.
        batch: batches of this epoch, or of its part, behind us.
        seconds: spent training, over all sessions of the run.
        loss_sum, loss_steps, tokens, clock: sums since the last line of the history, whose loss
            and tokens per second they become.
        hardware: what it ran on, over all sessions of the run.
    """

    step: Count
    epochs: Count
    part: Count = 0
    batch: Count
    seconds: Positive
    loss_sum: Number
    loss_steps: Count
    tokens: Count
    clock: Positive
    hardware: Text = ""


class Origin(Struct, frozen=True, kw_only=True):
    """What a training goes on with, and cannot change on its way."""

    architecture: dict[str, Setting]
    tokenizer: Text
    corpus: Text
    precision: Literal["bfloat16", "float32"]
    begun_with: Text
    before: Before


@dataclass(frozen=True)
class State:
    """Where a training stopped.

    Args:
        progress: how far it had got.
        settings_history: the settings, each with the step from which on they held.
        origin: what it was made with.
        tensors: by name.
    """

    progress: Progress
    settings_history: SettingsHistory
    origin: Origin
    tensors: dict[str, Tensor]


def write_state(path: Path, state: State) -> None:
    """Write it, whole or not at all; OSError if the disk is full."""
    told = ("progress", "settings_history", "origin")
    metadata = {name: msgspec.json.encode(getattr(state, name)).decode() for name in told}
    with replacing(path) as part:
        save_file(state.tensors, part, metadata)


def read_state(path: Path) -> State:
    """What ``write_state`` wrote.

    Raises:
        CheckpointError: there is no such file, or it is damaged.
    """
    if not is_there(path):
        raise CheckpointError(f"nothing to resume: there is no {path}")
    progress, settings_history = read_settings(path, fault=_FAULT, remedy=_REMEDY)
    with opened(path) as file:
        tensors = {n: finite(file.get_tensor(n), n, path) for n in file.keys()}  # noqa: SIM118
    return State(progress, settings_history, read_origin(path), tensors)


def read_origin(path: Path) -> Origin:
    """What the training was made with; CheckpointError if the file is damaged."""
    found: Origin = _metadata(path, "origin", Origin, fault=_FAULT, remedy=_REMEDY)
    return found


def read_settings(path: Path, *, fault: str, remedy: str) -> tuple[Progress, SettingsHistory]:
    """How far the training had got and with which settings.

    Args:
        path: of the file.
        fault: what is said of a damaged one.
        remedy: what to do then.

    Raises:
        CheckpointError: it is damaged.
    """
    progress = _metadata(path, "progress", Progress, fault=fault, remedy=remedy)
    settings_history = _metadata(
        path, "settings_history", SettingsHistory, fault=fault, remedy=remedy
    )
    try:
        if not settings_history:
            raise ValueError("it names no settings")
        check_settings_history(settings_history)
    except ValueError as error:
        raise CheckpointError(f"The file {path} {fault} ({error}). {remedy}") from error
    return progress, settings_history


def _metadata(path: Path, name: str, kind: Any, *, fault: str, remedy: str) -> Any:
    try:
        with opened(path) as file:
            found: Mapping[str, str] = file.metadata() or {}
            return decode(found.get(name, ""), kind)
    except ValueError as error:
        raise CheckpointError(f"The file {path} {fault} ({error}). {remedy}") from error
