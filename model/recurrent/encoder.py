"""The recurrent encoder: one cell reads the source forwards, an optional second cell backwards."""

import torch
from torch import Tensor, nn

from model.nn.hooks import NO_HOOKS, Hooks
from model.recurrent.cells import CELLS, run_cell
from model.recurrent.config import RecurrentConfig


class RecurrentEncoder(nn.Module):
    """Computes a state for every token of the source.

    Source: Cho et al. 2014, section 2.2; both directions: Bahdanau et al. 2015, section 3.2.
    """

    def __init__(self, config: RecurrentConfig) -> None:
        super().__init__()
        self.config = config
        new_cell = CELLS[config.cell]
        self.forwards = new_cell(config.d_model, config.d_hidden)
        self.backwards = new_cell(config.d_model, config.d_hidden) if config.bidirectional else None

    def forward(self, x: Tensor, real: Tensor, *, hooks: Hooks = NO_HOOKS) -> Tensor:
        """Encode the embedded source.

        Args:
            x: (B, S, d_model), the embedded source.
            real: (B, S) bool, False where there is padding.
            hooks: record ``memory``, and the states and gates of each cell.

        Returns:
            memory: (B, S, d_memory).
        """
        memory = run_cell(self.forwards, x, real, hooks=hooks.child("forwards"))
        if self.backwards is not None:
            from_end = run_cell(
                self.backwards, x, real, backwards=True, hooks=hooks.child("backwards")
            )
            memory = torch.cat((memory, from_end), dim=-1)  # (B, S, 2 d_hidden)
        hooks.record(memory=memory)
        return memory

    def summary(self, memory: Tensor) -> Tensor:
        """Return a cell's state after the whole source: (B, S, d_memory) -> (B, d_hidden).

        For a cell that reads forwards it is at the last position, since padding repeats the last
        state. For a cell that reads backwards it is at the first position.
        """
        if self.backwards is None:
            return memory[:, -1]
        return memory[:, 0, self.config.d_hidden :]
