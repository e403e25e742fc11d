"""Recurrent cells: one step from a state and an input to the next state.

The linear map ``w_x`` of the input does not depend on the state. So it is applied to a whole
sentence at once, and ``forward`` takes the result.
"""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Literal

import torch
from torch import Tensor, nn

from model.nn.hooks import NO_HOOKS, Hooks

State = tuple[Tensor, ...]  # h, and in an LSTM also c, each (B, d_hidden)
CellName = Literal["rnn", "lstm", "gru"]


class Cell(nn.Module):
    """The base class of all cells, with one linear map for the input and one for the state.

    Args:
        d_input: width of the input x.
        d_hidden: width of the state h.
    """

    gates: tuple[str, ...] = ()  # names of the tensors that a step computes besides h
    n_states = 1  # number of tensors in a state
    n_blocks = 1  # blocks of d_hidden rows in w_x and in w_h: one for each gate and the candidate

    def __init__(self, d_input: int, d_hidden: int) -> None:
        super().__init__()
        self.d_hidden = d_hidden
        self.w_x = nn.Linear(d_input, self.n_blocks * d_hidden)
        self.w_h = nn.Linear(d_hidden, self.n_blocks * d_hidden)

    @abstractmethod
    def forward(self, from_x: Tensor, state: State) -> tuple[State, State]:
        """Compute the next state and the gates.

        Args:
            from_x: (B, n_blocks d_hidden), ``w_x`` of the input.
            state: before the step.

        Returns:
            The state after the step, and the values of ``gates``, each (B, d_hidden).
        """

    def first_state(self, like: Tensor) -> State:
        """Return a state of zeros, of the batch size, dtype and device of ``like`` (B, ...)."""
        return (like.new_zeros(len(like), self.d_hidden),) * self.n_states

    def record_gates(self, gates: Sequence[State], hooks: Hooks) -> None:
        """Record each gate as (B, T, d_hidden), from the gates of T steps."""
        if hooks.records is None:
            return
        values_by_gate = zip(*gates, strict=True)  # the T values of each gate
        for name, values in zip(self.gates, values_by_gate, strict=True):
            hooks.record(**{name: torch.stack(values, dim=1)})


class RNN(Cell):
    """A plain RNN, h = tanh(W_x x + W_h h + b). Each step replaces the whole state.

    Source: Elman 1990.
    """

    def forward(self, from_x: Tensor, state: State) -> tuple[State, State]:
        (h,) = state
        return ((from_x + self.w_h(h)).tanh(),), ()


class LSTM(Cell):
    """A memory cell c with three gates: forget, input and output.

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
    """A cell with two gates: update z and reset r, each from 0 to 1.

    z says how much of the old state is kept, r how much of it enters the candidate for the new
    state. As in PyTorch and cuDNN, r acts after W_h; in the paper it acts before.

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
    """Run a cell over a batch of sentences, from a state of zeros.

    Padding does not change the state. So after the end of a sentence its last state is repeated,
    and a cell that reads backwards begins at the last real token.

    Args:
        cell: reads the sentences.
        x: (B, S, d_input), the embedded tokens.
        real: (B, S) bool, False where there is padding.
        backwards: whether to read from the end to the start.
        hooks: record ``h`` and the cell's gates.

    Returns:
        h: (B, S, d_hidden); h[:, s] is the state after the cell has read token s.
    """
    from_x = cell.w_x(x)  # (B, S, n_blocks d_hidden)
    state = cell.first_state(x)
    # unbind, because indexing with from_x[:, s] creates a gradient of all columns at each step
    steps = list(zip(from_x.unbind(dim=1), real[..., None].unbind(dim=1), strict=True))
    if backwards:
        steps.reverse()

    states = []
    gates = []
    for from_x_s, is_real in steps:  # (B, n_blocks d_hidden), (B, 1)
        next_state, gates_s = cell(from_x_s, state)
        state = tuple(
            torch.where(is_real, new, old) for new, old in zip(next_state, state, strict=True)
        )
        states.append(state[0])
        gates.append(gates_s)

    if backwards:  # back into the order of the sentence
        states.reverse()
        gates.reverse()
    h = torch.stack(states, dim=1)  # (B, S, d_hidden)
    hooks.record(h=h)
    cell.record_gates(gates, hooks)
    return h
