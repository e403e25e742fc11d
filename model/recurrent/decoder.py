"""Recurrent decoders with a fixed vector, or with attention before or after each step."""

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
    """The encoder's results that a decoder uses at every step."""

    memory: Tensor  # (B, S, d_memory)
    real: Tensor  # (B, S) bool, False for padding
    fixed: Tensor  # (B, ...) computed once for all steps, see ``RecurrentDecoder.fixed``


@dataclass
class RecurrentCache:
    """The state of a decoder between two steps. Its size is independent of the target's length."""

    state: State | None = None  # after the last token; None before the first
    fixed: Tensor | None = None  # ``Source.fixed``; None before the first token
    length: int = 0  # tokens decoded so far

    def select(self, rows: Tensor) -> Self:
        """Keep only these hypotheses, in this order: (n,) int64."""
        if self.state is not None and self.fixed is not None:
            self.state = tuple(tensor[rows] for tensor in self.state)
            self.fixed = self.fixed[rows]
        return self


# States s (B, T, d_hidden), contexts c (B, T, d_memory), and the state after the last step.
Steps = tuple[Tensor, Tensor, State]


class RecurrentDecoder(nn.Module):
    """The base class of the three decoders. It computes the first state and the output.

    s_0 = tanh(W_s summary + b)
    decoded_t = tanh(W_o [s_t; y_t; c_t] + b)

    y_t is the embedded token that is read at step t, c_t the context. The next token is read from
    decoded_t.

    Source: Bahdanau et al. 2015, appendix A.2.2; their maxout is a tanh here.
    """

    def __init__(self, config: RecurrentConfig) -> None:
        super().__init__()
        self.cell = CELLS[config.cell](config.d_model, config.d_hidden)
        self.w_s = nn.Linear(config.d_hidden, self.cell.n_states * config.d_hidden)
        self.w_o = nn.Linear(config.d_hidden + config.d_model + config.d_memory, config.d_model)

    @abstractmethod
    def steps(self, from_y: Tensor, state: State, source: Source, hooks: Hooks) -> Steps:
        """Compute T steps of the decoder.

        Args:
            from_y: (B, T, n_blocks d_hidden), the cell's ``w_x`` of the embedded tokens.
            state: before the first of them.
            source: what the decoder knows of the source.
            hooks: record the cell's gates, and the attention if there is one.

        Returns:
            States (B, T, d_hidden), contexts (B, T, d_memory), the state after the last token.
        """

    def fixed(self, memory: Tensor, summary: Tensor) -> Tensor:  # noqa: ARG002
        """Return the source tensor that is the same at all steps: (B, ...).

        Here it is the summary, (B, d_hidden); see the subclasses.
        """
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
        """Run the decoder over the embedded target.

        Args:
            y: (B, T, d_model), the embedded target; with a cache only its new tokens.
            memory: (B, S, d_memory), the states of the encoder.
            summary: (B, d_hidden), see ``RecurrentEncoder.summary``.
            real: (B, S) bool, False where the source is padding.
            cache: of earlier steps; it is updated.
            hooks: record ``s_0``, ``s``, ``context``, ``decoded`` and what ``steps`` records.

        Returns:
            decoded: (B, T, d_model), from which the next tokens are read.
        """
        if cache is None:
            cache = RecurrentCache()
        if cache.state is None or cache.fixed is None:
            s_0 = self.w_s(summary).tanh()  # (B, n_states d_hidden)
            cache.state = s_0.chunk(self.cell.n_states, dim=-1)
            cache.fixed = self.fixed(memory, summary)
        hooks.record(s_0=cache.state[0][:, None])  # (B, 1, d_hidden)
        source = Source(memory, real, cache.fixed)
        s, context, cache.state = self.steps(self.cell.w_x(y), cache.state, source, hooks)
        cache.length += y.shape[1]
        decoded: Tensor = self.w_o(torch.cat((s, y, context), dim=-1)).tanh()  # (B, T, d_model)
        hooks.record(s=s, context=context, decoded=decoded)
        return decoded

    def unroll(self, inputs: Tensor, state: State, hooks: Hooks) -> tuple[Tensor, State]:
        """Run the cell over given inputs.

        Args:
            inputs: (B, T, n_blocks d_hidden), already multiplied by the cell's ``w_x``.
            state: before the first of them.
            hooks: record the cell's gates.

        Returns:
            States (B, T, d_hidden), and the state after the last input.
        """
        states = []
        gates = []
        for inputs_t in inputs.unbind(dim=1):  # (B, n_blocks d_hidden)
            state, gates_t = self.cell(inputs_t, state)
            states.append(state[0])
            gates.append(gates_t)
        self.cell.record_gates(gates, hooks)
        return torch.stack(states, dim=1), state


class FixedVectorDecoder(RecurrentDecoder):
    """Uses the encoder's last state as the context c_t at every step, and no other source input.

    Source: Cho et al. 2014, section 2.2.
    """

    def __init__(self, config: RecurrentConfig) -> None:
        super().__init__(config)
        self.w_c = nn.Linear(config.d_memory, self.cell.n_blocks * config.d_hidden, bias=False)

    def steps(self, from_y: Tensor, state: State, source: Source, hooks: Hooks) -> Steps:
        """Compute s_t = cell(y_t + W_c c, s_t-1); see ``RecurrentDecoder.steps``."""
        from_c = self.w_c(source.fixed)[:, None]  # (B, 1, n_blocks d_hidden), the same for all t
        s, state = self.unroll(from_y + from_c, state, hooks)  # (B, T, d_hidden)
        return s, source.fixed[:, None].expand(-1, s.shape[1], -1), state


class DotDecoder(RecurrentDecoder):
    """The cell reads only the target. Its new state then attends to the source.

    Source: Luong et al. 2015, section 3, equation 5, without input feeding.
    """

    def steps(self, from_y: Tensor, state: State, source: Source, hooks: Hooks) -> Steps:
        """Compute s_t = cell(y_t, s_t-1), c_t = attention(s_t); see ``RecurrentDecoder.steps``."""
        s, state = self.unroll(from_y, state, hooks)  # (B, T, d_hidden)
        context, masked_scores, weights = dot_attention(s, source.memory, source.real)
        hooks.record(masked_scores=masked_scores, weights=weights)
        return s, context, state


class AdditiveDecoder(RecurrentDecoder):
    """The old state attends to the source. The cell then reads the context and the token.

    Source: Bahdanau et al. 2015, section 3.1.
    """

    def __init__(self, config: RecurrentConfig) -> None:
        super().__init__(config)
        self.attention = AdditiveAttention(config.d_hidden, config.d_memory, config.d_model)
        self.w_c = nn.Linear(config.d_memory, self.cell.n_blocks * config.d_hidden, bias=False)

    def fixed(self, memory: Tensor, summary: Tensor) -> Tensor:  # noqa: ARG002
        """Return the attention keys U_a h_j: (B, S, d_attention)."""
        return self.attention.u_a(memory)

    def steps(self, from_y: Tensor, state: State, source: Source, hooks: Hooks) -> Steps:
        """Compute c_t = attention(s_t-1), s_t = cell(y_t + W_c c_t, s_t-1).

        Arguments: see ``RecurrentDecoder.steps``.
        """
        states = []
        gates = []
        contexts = []
        masked_scores = []
        weights = []
        for from_y_t in from_y.unbind(dim=1):  # (B, n_blocks d_hidden)
            context_t, masked_scores_t, weights_t = self.attention(
                state[0], source.fixed, source.memory, source.real
            )  # (B, d_memory), (B, S), (B, S)
            state, gates_t = self.cell(from_y_t + self.w_c(context_t), state)
            states.append(state[0])
            gates.append(gates_t)
            contexts.append(context_t)
            masked_scores.append(masked_scores_t)
            weights.append(weights_t)
        self.cell.record_gates(gates, hooks)
        hooks.record(
            masked_scores=torch.stack(masked_scores, dim=1),  # (B, T, S)
            weights=torch.stack(weights, dim=1),  # (B, T, S)
        )
        return torch.stack(states, dim=1), torch.stack(contexts, dim=1), state


DECODERS: dict[RecurrentArch, type[RecurrentDecoder]] = {
    "seq2seq": FixedVectorDecoder,
    "luong": DotDecoder,
    "bahdanau": AdditiveDecoder,
}
