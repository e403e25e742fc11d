"""How far a training has got: the state that it goes on from, the lines of ``history.jsonl``."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec
import torch
from msgspec import Struct
from safetensors.torch import save_file
from torch import Tensor

from model.checkpoint.checkpoint import HISTORY, read_history, whole_lines
from model.checkpoint.provenance import check_settings_history
from model.checkpoint.weights_file import open_weights, require_finite
from model.files.json_file import (
    Count,
    NonNegative,
    Number,
    Setting,
    Text,
    checkpoint_errors,
    decode,
)
from model.files.replacing import replacing, write_text
from model.training.optimizer import LEARNED

STATE = "training.safetensors"
SettingsHistory = list[dict[str, Setting]]


class Progress(Struct, kw_only=True):
    """How far a run has got, over all its sessions: with the tensors, what is needed to go on."""

    step: Count  # updates made
    epochs: Count  # whole epochs behind this one; an epoch visits every source sentence once
    part: Count = 0  # parts of this epoch behind us, where the corpus is larger than memory
    batch: Count  # batches of this epoch, or of its part, behind us
    seconds: NonNegative
    loss_sum: Number
    loss_steps: Count
    tokens: Count
    clock: NonNegative
    hardware: Text = ""

    def count(self, *, loss: float, tokens: int, seconds: float) -> None:
        """One more step on one more batch."""
        self.step += 1
        self.batch += 1
        self.loss_sum += loss
        self.loss_steps += 1
        self.tokens += tokens
        self.clock += seconds
        self.seconds += seconds

    def since_last_line(self) -> dict[str, float]:
        """Mean loss and speed; the sums begin again."""
        found = {
            "loss": round(self.loss_sum / self.loss_steps, 4),
            "tokens_per_second": round(self.tokens / self.clock),
        }
        self.loss_sum, self.loss_steps, self.tokens, self.clock = 0.0, 0, 0, 0.0
        return found


class TrainingIdentity(Struct, frozen=True, kw_only=True):
    """What a training goes on with, and cannot change on its way."""

    architecture: dict[str, Setting]
    tokenizer: Text
    corpus: Text
    precision: Literal["bfloat16", "float32"]
    begun_with: Text


@dataclass(frozen=True)
class State:
    """Where a training stopped; each of the settings has the step from which on it held."""

    progress: Progress
    settings_history: SettingsHistory
    origin: TrainingIdentity
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
    """Read a state that ``write_state`` wrote.

    Args:
        path: the file.
        with_tensors: False reads only the header, which is quick; ``tensors`` is then empty.

    Raises:
        CheckpointError: the file is missing or damaged, or does not describe a training.
    """
    # 1. Read the file
    with open_weights(path) as file:
        metadata: Mapping[str, str] = file.metadata() or {}
        names = file.keys() if with_tensors else ()
        tensors = {name: require_finite(file.get_tensor(name), name, path) for name in names}

    # 2. Check what its header says
    with checkpoint_errors(
        path,
        fault="does not tell the settings of its training, and cannot be resumed from",
        remedy="Restore it, or remove it and train anew.",
    ):
        progress = decode(metadata.get("progress", ""), Progress)
        settings_history = decode(metadata.get("settings_history", ""), SettingsHistory)
        origin = decode(metadata.get("origin", ""), TrainingIdentity)
        if not settings_history:
            raise ValueError("it names no settings")
        check_settings_history(settings_history)
    return State(progress, settings_history, origin, tensors)


def forget_lines_after(folder: Path, step: int) -> None:
    """Drop the lines of later steps, those of a run that is done again from here on."""
    if (path := folder / HISTORY).exists():
        lines = zip(whole_lines(path), read_history(folder), strict=True)
        kept = [text.decode() + "\n" for text, line in lines if line["step"] <= step]
        write_text(path, "".join(kept))
