"""The file from which a training goes on: all tensors, and what they were made with."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct
from safetensors.torch import save_file
from torch import Tensor

from model.checkpoint.checkpoint import check_settings_history
from model.checkpoint.provenance import Before
from model.checkpoint.weights_file import finite, opened
from model.files.checkpoint_error import CheckpointError
from model.files.json_file import Count, Number, Positive, Setting, Text, decode
from model.files.regular_file import is_there
from model.files.replacing import replacing

STATE = "training.safetensors"
SettingsHistory = list[dict[str, Setting]]


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
    state = read_told(path)
    with opened(path) as file:
        tensors = {n: finite(file.get_tensor(n), n, path) for n in file.keys()}  # noqa: SIM118
    return replace(state, tensors=tensors)


def read_told(
    path: Path,
    *,
    fault: str = "cannot be resumed from",
    remedy: str = "Restore it, or remove it and train anew.",
) -> State:
    """A state without its tensors.

    Args:
        path: of the file.
        fault: what is said of a damaged one.
        remedy: what to do then.

    Raises:
        CheckpointError: it is damaged.
    """
    try:
        with opened(path) as file:
            told = file.metadata() or {}
        state = State(
            decode(told.get("progress", ""), Progress),
            decode(told.get("settings_history", ""), SettingsHistory),
            decode(told.get("origin", ""), Origin),
            tensors={},
        )
        if not state.settings_history:
            raise ValueError("it names no settings")
        check_settings_history([*state.settings_history, *state.origin.before["settings_history"]])
    except ValueError as error:
        raise CheckpointError(f"The file {path} {fault} ({error}). {remedy}") from error
    return state
