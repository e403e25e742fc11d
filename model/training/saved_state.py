"""The file with the state of a training run. ``Training.restore`` in ``trainer`` resumes from it.

One safetensors file holds everything: the tensors, and in its header the progress, the settings and
what the training was started with. Training again from there repeats the run bit for bit.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec
import torch
from msgspec import Struct, field
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
from model.training.optimizer import OPTIMIZER_PREFIX

STATE = "training.safetensors"  # in the folder of the training
# The settings with which the training began, and again whenever a resumed run changed one of them.
# Each entry has "from_step": it is valid from that step on.
SettingsHistory = list[dict[str, Setting]]


class Progress(Struct, kw_only=True):
    """The progress of a training run over all its sessions."""

    step: Count  # number of updates so far
    # complete epochs so far; an epoch visits every source sentence of the corpora once, and the
    # pairs written for this project as often as ``TIMES_PER_EPOCH`` says
    epochs: Count
    # number of complete parts of this epoch. An epoch has several parts if the corpus is larger
    # than memory
    part: Count = 0
    batch: Count  # complete batches of this part of the epoch
    seconds: NonNegative  # total time of all steps
    # Since the last line of the history:
    loss_sum: Number  # sum of the losses of the steps, in nats per token
    loss_steps: Count
    tokens: Count  # source and target positions, padding included
    clock: NonNegative  # time in seconds
    hardware: Text = ""  # of all sessions, see ``followed_by``

    def count(self, *, loss: float, tokens: int, seconds: float) -> None:
        """Count one more step.

        Args:
            loss: in nats per token.
            tokens: source and target positions of the batch, padding included.
            seconds: how long the step took.
        """
        self.step += 1
        self.batch += 1
        self.loss_sum += loss
        self.loss_steps += 1
        self.tokens += tokens
        self.clock += seconds
        self.seconds += seconds

    def since_last_line(self) -> dict[str, float]:
        """Return mean loss and speed since the last call, and reset the counters."""
        means = {
            "loss": round(self.loss_sum / self.loss_steps, 4),
            "tokens_per_second": round(self.tokens / self.clock),
        }
        self.loss_sum = 0.0
        self.loss_steps = 0
        self.tokens = 0
        self.clock = 0.0
        return means


class TrainingIdentity(Struct, frozen=True, kw_only=True):
    """What a training run began with.

    A resumed run must have the same architecture, tokenizer and corpus.
    """

    architecture: dict[str, Setting]  # all fields except dropout, which may change
    tokenizer: Text  # SHA-256 of its file
    corpus: Text  # SHA-256 of the corpus, and how it was read
    precision: Literal["bfloat16", "float32"]  # since it was last resumed
    initial_weights: Text = field(name="begun_with")  # their description; "" for random weights


@dataclass(frozen=True)
class State:
    """All data that a training run needs to resume."""

    progress: Progress
    settings_history: SettingsHistory
    origin: TrainingIdentity
    tensors: dict[str, Tensor]  # model.NAME, average.NAME, and the optimizers' tensors
    snapshots: int = 0  # --snapshots of the training; 0 in states that do not hold it

    @property
    def shapes(self) -> dict[str, torch.Size]:
        """The shapes of all weights. Optimizers have no tensors before the first step."""
        return {
            name: tensor.shape
            for name, tensor in self.tensors.items()
            if not name.startswith(OPTIMIZER_PREFIX)
        }


def write_state(path: Path, state: State) -> None:
    """Write a state to a file, completely or not at all.

    Raises:
        OSError: the disk is full, or the folder is not writable.
    """
    metadata = {
        "progress": msgspec.json.encode(state.progress).decode(),
        "settings_history": msgspec.json.encode(state.settings_history).decode(),
        "origin": msgspec.json.encode(state.origin).decode(),
        "snapshots": msgspec.json.encode(state.snapshots).decode(),
    }
    with replacing(path) as unfinished:
        save_file(state.tensors, unfinished, metadata)


def read_state(path: Path, *, with_tensors: bool = True) -> State:
    """Read a state from a file of ``write_state``.

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

    # 2. Check the JSON in its header
    with checkpoint_errors(
        path,
        fault="does not tell the settings of its training, and cannot be resumed from",
        remedy="Restore it, or remove it and train anew.",
    ):
        progress = decode(metadata.get("progress", ""), Progress)
        settings_history = decode(metadata.get("settings_history", ""), SettingsHistory)
        origin = decode(metadata.get("origin", ""), TrainingIdentity)
        snapshots = decode(metadata.get("snapshots", "0"), Count)
        if not settings_history:
            raise ValueError("it names no settings")
        check_settings_history(settings_history)
    return State(progress, settings_history, origin, tensors, snapshots)


def remove_lines_after(folder: Path, step: int) -> None:
    """Remove the lines of ``history.jsonl`` after a step, which a resumed run repeats."""
    path = folder / HISTORY
    if not path.exists():
        return
    lines = zip(whole_lines(path), read_history(folder), strict=True)
    remaining = [text.decode() + "\n" for text, line in lines if line["step"] <= step]
    write_text(path, "".join(remaining))
