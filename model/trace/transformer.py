"""A trace: everything one forward pass of a Transformer computed, and its attention maps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from model.pictures.attention import Attention, Side
from model.pictures.tokens import display
from model.trace.base import Array, BaseTrace, read_only
from model.transformer.heads import KINDS, Kind, attention_name

Rows = Literal["written", "read"]
ROWS: tuple[Rows, ...] = get_args(Rows)


@dataclass(frozen=True)
class AttentionMaps:
    """All maps of one kind of attention, with the labels that belong to them.

    Args:
        weights: (layers, heads, queries, keys) float32; each row sums to 1.
        query_tokens: label of each row.
        key_tokens: label of each column.
    """

    weights: Array
    query_tokens: tuple[str, ...]
    key_tokens: tuple[str, ...]


class Trace(BaseTrace):
    """What a Transformer computed for one sentence pair, with its maps; see ``BaseTrace``.

    ``records`` holds every name of ``shapes.recorded_names``.
    """

    @property
    def n_layers(self) -> int:
        """Blocks of the encoder, and again of the decoder."""
        return sum(name.endswith(".cross.weights") for name in self.records)

    @property
    def encoder_self(self) -> Array:
        """(layers, heads, S, S): where each source token looks in the source."""
        return self._weights("encoder_self")

    @property
    def decoder_self(self) -> Array:
        """(layers, heads, T, T): where each target position looks back in the target."""
        return self._weights("decoder_self")

    @property
    def cross(self) -> Array:
        """(layers, heads, T, S): where each target position looks in the source."""
        return self._weights("cross")

    def attention(self, kind: Kind, *, rows: Rows = "read") -> AttentionMaps:
        """Maps and labels of one kind of attention.

        Args:
            kind: one of ``KINDS``.
            rows: whether a decoder row is labelled by the token it has read last or by the token
                it writes; the weights are the same.

        Raises:
            ValueError: kind or rows is none of these.
        """
        if kind not in KINDS or rows not in ROWS:
            raise ValueError(f"no attention {kind!r} with rows {rows!r}; kinds are {KINDS}")
        if kind == "encoder_self":
            return AttentionMaps(self.encoder_self, self.src_tokens, self.src_tokens)
        queries = self.tgt_tokens if rows == "read" else self.next_tokens
        if kind == "decoder_self":
            return AttentionMaps(self.decoder_self, queries, self.tgt_tokens)
        return AttentionMaps(self.cross, queries, self.src_tokens)

    def attentions(self) -> tuple[Attention, ...]:
        """All three kinds, in the order of ``KINDS``."""
        return tuple(self._shown(kind) for kind in KINDS)

    def _shown(self, kind: Kind) -> Attention:
        names: tuple[Rows, ...] = ("read",) if kind == "encoder_self" else ROWS
        sides: dict[Kind, tuple[Side, Side]] = {
            "encoder_self": ("source", "source"),
            "decoder_self": ("target", "target"),
            "cross": ("target", "source"),
        }
        maps = self.attention(kind)
        queries = {"read": maps.query_tokens, "written": self.next_tokens}
        return Attention(
            kind,
            maps.weights,
            {rows: display(queries[rows]) for rows in names},
            display(maps.key_tokens),
            sides[kind],
            causal=kind == "decoder_self",
        )

    def _weights(self, kind: Kind) -> Array:
        names = [f"{attention_name(kind, layer)}.weights" for layer in range(self.n_layers)]
        return read_only(np.stack([self.records[name] for name in names]))
