"""Recurrent cells: one step from a state and an input to the next state.

What a cell makes of its input does not depend on the state, so ``w_x`` is applied to a whole
sentence at once and ``forward`` takes the result.
"""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Literal

import torch
from torch import Tensor, nn

from model.nn.hooks import NO_HOOKS, Hooks

State = tuple[Tensor, ...]  # h, and for the LSTM also c, each (B, d_hidden)
CellName = Literal["rnn", "lstm", "gru"]


class Cell(nn.Module):
    """What all cells share: two linear maps, one of the input and one of the state."""

    gates: tuple[str, ...] = ()  # what a step computes on its way, besides h
    n_states = 1  # tensors of a state
    n_blocks = 1  # rows of d_hidden in the two matrices

    def __init__(self, d_input: int, d_hidden: int) -> None:
        super().__init__()
        self.d_hidden = d_hidden
        self.w_x = nn.Linear(d_input, self.n_blocks * d_hidden)
        self.w_h = nn.Linear(d_hidden, self.n_blocks * d_hidden)

    @abstractmethod
    def forward(self, from_x: Tensor, state: State) -> tuple[State, State]:
        """``w_x`` of the input (B, n_blocks d_hidden), state -> next state, values of ``gates``."""

    def first_state(self, like: Tensor) -> State:
        """All zeros, for as many sentences as ``like`` has rows: (B, ...)."""
        return (like.new_zeros(len(like), self.d_hidden),) * self.n_states

    def record_gates(self, gates: Sequence[State], hooks: Hooks) -> None:
        """The gates of each of T steps -> each gate (B, T, d_hidden), recorded."""
        if hooks.records is not None:
            columns = (torch.stack(column, dim=1) for column in zip(*gates, strict=True))
            hooks.record(**dict(zip(self.gates, columns, strict=True)))


class RNN(Cell):
    """h = tanh(W_x x + W_h h + b): the whole state is written anew at each step.

    Source: Elman 1990.
    """

    def forward(self, from_x: Tensor, state: State) -> tuple[State, State]:
        (h,) = state
        return ((from_x + self.w_h(h)).tanh(),), ()


class LSTM(Cell):
    """A cell c that is kept, and three gates that say what is forgotten, added and shown.

    Source: Hochreiter & Schmidhuber 1997; the forget gate: Gers et al. 2000.
    """

    gates = ("input", "forget", "candidate", "output", "cell")
    n_states = 2
    n_blocks = 4

    def forward(self, from_x: Tensor, state: State) -> tuple[State, State]:
        h, c = state
        i, f, g, o = (from_x + self.w_h(h)).chunk(4, dim=-1)  # (B, d_hidden) each
        i, f, g, o = i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()
        c = f * c + i * g
        return (o * c.tanh(), c), (i, f, g, o, c)


class GRU(Cell):
    """Two gates: z keeps the old state, r says how much of it the candidate sees.

    As in PyTorch and cuDNN, r acts after W_h; in the paper it acts before.

    Source: Cho et al. 2014, section 2.3.
    """

    gates = ("reset", "update", "candidate")
    n_blocks = 3

    def forward(self, from_x: Tensor, state: State) -> tuple[State, State]:
        (h,) = state
        r_x, z_x, n_x = from_x.chunk(3, dim=-1)  # (B, d_hidden) each
        r_h, z_h, n_h = self.w_h(h).chunk(3, dim=-1)
        r, z = (r_x + r_h).sigmoid(), (z_x + z_h).sigmoid()
        n = (n_x + r * n_h).tanh()
        return (n + z * (h - n),), (r, z, n)


CELLS: dict[CellName, type[Cell]] = {"rnn": RNN, "lstm": LSTM, "gru": GRU}


def run_cell(
    cell: Cell, x: Tensor, real: Tensor, *, backwards: bool = False, hooks: Hooks = NO_HOOKS
) -> Tensor:
    """Read a batch of sentences with a cell, from a state of zeros.

    Padding leaves the state as it is: after the end of a sentence its last state is carried on,
    and a cell that reads backwards begins at the last real token.

    x (B, S, d_input), real (B, S) bool, False where there is padding -> h (B, S, d_hidden), whose
    column s is the state after token s. Hooks record it and the cell's gates.
    """
    from_x = cell.w_x(x)  # (B, S, n_blocks d_hidden)
    state = cell.first_state(x)
    states, gates = [], []
    # unbind: the gradient of from_x[:, s] would be a tensor of all columns, at every s
    steps = list(zip(from_x.unbind(dim=1), real[..., None].unbind(dim=1), strict=True))
    for from_x_s, here in reversed(steps) if backwards else steps:  # here: (B, 1)
        new, passed = cell(from_x_s, state)
        state = tuple(torch.where(here, n, old) for n, old in zip(new, state, strict=True))
        states.append(state[0])
        gates.append(passed)
    order = -1 if backwards else 1
    h = torch.stack(states[::order], dim=1)
    hooks.record(h=h)
    cell.record_gates(gates[::order], hooks)
    return h
