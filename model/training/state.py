"""The file from which a training goes on: all tensors, and what they were made with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec
import torch
from msgspec import Struct
from safetensors.torch import save_file
from torch import Tensor

from model.checkpoint.provenance import Before, check_settings_history
from model.checkpoint.weights_file import finite, opened
from model.files.checkpoint_error import CheckpointError
from model.files.json_file import Setting, Text, decode
from model.files.regular_file import is_there
from model.files.replacing import replacing
from model.training.optimizer import LEARNED
from model.training.progress import Progress

STATE = "training.safetensors"
SettingsHistory = list[dict[str, Setting]]


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

    @property
    def shapes(self) -> dict[str, torch.Size]:
        """Of all weights; what the optimizers remember comes with the first step."""
        return {n: t.shape for n, t in self.tensors.items() if not n.startswith(LEARNED)}


def write_state(path: Path, state: State) -> None:
    """Write it, whole or not at all; OSError if the disk is full."""
    told = ("progress", "settings_history", "origin")
    metadata = {name: msgspec.json.encode(getattr(state, name)).decode() for name in told}
    with replacing(path) as part:
        save_file(state.tensors, part, metadata)


def read_state(path: Path, *, with_tensors: bool = True) -> State:
    """What ``write_state`` wrote.

    Args:
        path: of the file.
        with_tensors: without them it is read in no time, and ``tensors`` is empty.

    Raises:
        CheckpointError: there is no such file, or it is damaged.
    """
    if not is_there(path):
        raise CheckpointError(f"nothing to resume: there is no {path}")
    try:
        with opened(path) as file:
            told: Mapping[str, str] = file.metadata() or {}
            names = file.keys() if with_tensors else ()
            state = State(
                decode(told.get("progress", ""), Progress),
                decode(told.get("settings_history", ""), SettingsHistory),
                decode(told.get("origin", ""), Origin),
                {name: finite(file.get_tensor(name), name, path) for name in names},
            )
        if not state.settings_history:
            raise ValueError("it names no settings")
        check_settings_history(state.settings_history)
        check_settings_history(state.origin.before["settings_history"])
    except ValueError as error:
        raise CheckpointError(
            f"The file {path} does not tell the settings of its training, and cannot be resumed "
            f"from ({error}). Restore it, or remove it and train anew."
        ) from error
    return state
