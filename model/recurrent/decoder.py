"""The recurrent decoders: with one fixed vector, with attention after the step, and before it."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import NamedTuple, Self

import torch
from torch import Tensor, nn

from model.nn.hooks import NO_HOOKS, Hooks
from model.recurrent.attention import AdditiveAttention, dot_attention
from model.recurrent.cells import CELLS, State
from model.recurrent.config import RecurrentArch, RecurrentConfig


class Source(NamedTuple):
    """What a decoder knows of the source at every step."""

    memory: Tensor  # (B, S, d_memory)
    real: Tensor  # (B, S) bool, False where there is padding
    fixed: Tensor  # (B, ...) computed of it once and for all, see ``RecurrentDecoder.fixed``


@dataclass
class RecurrentCache:
    """However long the target: one state, and ``Source.fixed``; None before the first token."""

    state: State | None = None
    fixed: Tensor | None = None
    length: int = 0  # tokens decoded so far

    def select(self, rows: Tensor) -> Self:
        """Keep only these hypotheses, in this order: (n,) int64."""
        if self.state is not None and self.fixed is not None:
            self.state = tuple(part[rows] for part in self.state)
            self.fixed = self.fixed[rows]
        return self


Steps = tuple[Tensor, Tensor, State]


class RecurrentDecoder(nn.Module):
    """What the three decoders share: the first state, and what the next token is read from.

    s_0 = tanh(W_s summary + b), and decoded_t = tanh(W_o [s_t; y_t; c_t] + b), where y_t is the
    embedded token read at step t and c_t the context.

    Source: Bahdanau et al. 2015, appendix A.2.2; their maxout is a tanh here.
    """

    def __init__(self, config: RecurrentConfig) -> None:
        super().__init__()
        self.cell = CELLS[config.cell](config.d_model, config.d_hidden)
        self.w_s = nn.Linear(config.d_hidden, self.cell.n_states * config.d_hidden)
        self.w_o = nn.Linear(config.d_hidden + config.d_model + config.d_memory, config.d_model)

    @abstractmethod
    def steps(self, from_y: Tensor, state: State, source: Source, hooks: Hooks) -> Steps:
        """Read T tokens: s (B, T, d_hidden), context (B, T, d_memory), the state after the last.

        ``from_y`` is the cell's ``w_x`` of the embedded tokens, (B, T, n_blocks d_hidden).
        """

    def fixed(self, memory: Tensor, summary: Tensor) -> Tensor:  # noqa: ARG002
        """What stays the same at every step; what it is depends on the decoder."""
        return summary

    def forward(
        self,
        y: Tensor,
        memory: Tensor,
        summary: Tensor,
        real: Tensor,
        *,
        cache: RecurrentCache | None = None,
        hooks: Hooks = NO_HOOKS,
    ) -> Tensor:
        """Run over the embedded target: (B, T, d_model) -> decoded (B, T, d_model).

        Of the source memory (B, S, d_memory), its summary (B, d_hidden), and which tokens are real,
        (B, S) bool, not padding. The cache, the state of earlier steps, is moved on.
        """
        cache = RecurrentCache() if cache is None else cache
        if cache.state is None or cache.fixed is None:
            state: State = self.w_s(summary).tanh().chunk(self.cell.n_states, dim=-1)
            cache.state, cache.fixed = state, self.fixed(memory, summary)
        hooks.record(s_0=cache.state[0][:, None])
        source = Source(memory, real, cache.fixed)
        s, context, cache.state = self.steps(self.cell.w_x(y), cache.state, source, hooks)
        cache.length += y.shape[1]
        decoded: Tensor = self.w_o(torch.cat((s, y, context), dim=-1)).tanh()  # (B, T, d_model)
        hooks.record(s=s, context=context, decoded=decoded)
        return decoded

    def unroll(self, inputs: Tensor, state: State, hooks: Hooks) -> tuple[Tensor, State]:
        """The cell over (B, T, n_blocks d_hidden), all known -> s (B, T, d_hidden), last state."""
        states, gates = [], []
        for inputs_t in inputs.unbind(dim=1):
            state, passed = self.cell(inputs_t, state)
            states.append(state[0])
            gates.append(passed)
        self.cell.record_gates(gates, hooks)
        return torch.stack(states, dim=1), state


class FixedVectorDecoder(RecurrentDecoder):
    """c_t is the encoder's last state at every step: all there is of the source.

    Source: Cho et al. 2014, section 2.2.
    """

    def __init__(self, config: RecurrentConfig) -> None:
        super().__init__(config)
        self.w_c = nn.Linear(config.d_memory, self.cell.n_blocks * config.d_hidden, bias=False)

    def steps(self, from_y: Tensor, state: State, source: Source, hooks: Hooks) -> Steps:
        """s_t = cell(y_t + W_c c, s_t-1); see ``RecurrentDecoder.steps``."""
        from_c = self.w_c(source.fixed)[:, None]  # (B, 1, n_blocks d_hidden), the same for all t
        s, state = self.unroll(from_y + from_c, state, hooks)  # (B, T, d_hidden)
        return s, source.fixed[:, None].expand(-1, s.shape[1], -1), state


class DotDecoder(RecurrentDecoder):
    """The cell reads the target alone; its new state then looks at the source.

    Source: Luong et al. 2015, section 3, equation 5, without input feeding.
    """

    def steps(self, from_y: Tensor, state: State, source: Source, hooks: Hooks) -> Steps:
        """s_t = cell(y_t, s_t-1), c_t = attention(s_t); see ``RecurrentDecoder.steps``."""
        s, state = self.unroll(from_y, state, hooks)  # (B, T, d_hidden)
        context, masked_scores, weights = dot_attention(s, source.memory, source.real)
        hooks.record(masked_scores=masked_scores, weights=weights)
        return s, context, state


class AdditiveDecoder(RecurrentDecoder):
    """The old state looks at the source, and the cell reads what was found with the token.

    Source: Bahdanau et al. 2015, section 3.1.
    """

    def __init__(self, config: RecurrentConfig) -> None:
        super().__init__(config)
        self.attention = AdditiveAttention(config.d_hidden, config.d_memory, config.d_model)
        self.w_c = nn.Linear(config.d_memory, self.cell.n_blocks * config.d_hidden, bias=False)

    def fixed(self, memory: Tensor, summary: Tensor) -> Tensor:  # noqa: ARG002
        """The keys, U_a h_j: (B, S, d_attention)."""
        return self.attention.u_a(memory)

    def steps(self, from_y: Tensor, state: State, source: Source, hooks: Hooks) -> Steps:
        """c_t = attention(s_t-1), s_t = cell(y_t + W_c c_t, s_t-1); see the base class."""
        states, gates, looks = [], [], []
        for from_y_t in from_y.unbind(dim=1):
            look = self.attention(state[0], source.fixed, source.memory, source.real)
            state, passed = self.cell(from_y_t + self.w_c(look[0]), state)
            states.append(state[0])
            gates.append(passed)
            looks.append(look)
        self.cell.record_gates(gates, hooks)
        context, masked_scores, weights = (
            torch.stack(column, dim=1) for column in zip(*looks, strict=True)
        )
        hooks.record(masked_scores=masked_scores, weights=weights)
        return torch.stack(states, dim=1), context, state


DECODERS: dict[RecurrentArch, type[RecurrentDecoder]] = {
    "seq2seq": FixedVectorDecoder,
    "luong": DotDecoder,
    "bahdanau": AdditiveDecoder,
}
