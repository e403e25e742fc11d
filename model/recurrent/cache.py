"""What a recurrent decoder keeps between two tokens: its state, and what it knows of the source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from torch import Tensor

from model.recurrent.cells import State


@dataclass
class RecurrentCache:
    """However long the target: one state.

    Args:
        state: of the cell after the newest token; None before the first.
        source: (B, ...) what was computed of the source once and for all; None before the first.
        length: tokens decoded so far.
    """

    state: State | None = None
    source: Tensor | None = None
    length: int = 0

    def select(self, rows: Tensor) -> Self:
        """Keep only these hypotheses, in this order: (n,) int64."""
        if self.state is not None and self.source is not None:
            self.state = tuple(part[rows] for part in self.state)
            self.source = self.source[rows]
        return self
