"""How far a training has got, and the lines of ``history.jsonl`` that tell of its way."""

from __future__ import annotations

import json
from pathlib import Path

from msgspec import Struct

from model.checkpoint.checkpoint import HISTORY, read_history, whole_lines
from model.files.json_file import Count, Number, Positive, Text
from model.files.replacing import write_text


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


def add_line(folder: Path, line: dict[str, float]) -> None:
    """Append a line to the history."""
    with (folder / HISTORY).open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def forget_lines_after(folder: Path, step: int) -> None:
    """Drop the lines of later steps, those of a run that is done again from here on."""
    if (path := folder / HISTORY).exists():
        lines = zip(whole_lines(path), read_history(folder), strict=True)
        kept = [text.decode() + "\n" for text, line in lines if line["step"] <= step]
        write_text(path, "".join(kept))
