"""The trace of a Transformer: all tensors of one forward pass, and its attention maps."""

from typing import Literal, NamedTuple, get_args

import numpy as np

from model.arrays import Array, read_only
from model.pictures.offline_page import AttentionData
from model.pictures.tokens import display
from model.trace.drawable import DrawableTrace
from model.transformer.heads import KINDS, Kind, attention_name

Rows = Literal["written", "read"]
ROWS: tuple[Rows, ...] = get_args(Rows)


class AttentionMaps(NamedTuple):
    """All maps of one kind of attention, with the labels of rows and columns."""

    weights: Array  # (layers, heads, queries, keys) float32; each row sums to 1
    query_tokens: tuple[str, ...]  # label of each row
    key_tokens: tuple[str, ...]  # label of each column


class Trace(DrawableTrace):
    """The trace of a Transformer for one sentence pair, with its maps; see ``BaseTrace``.

    ``records`` holds every name of ``shapes.recorded_names``.
    """

    @property
    def n_layers(self) -> int:
        """The number of blocks in each stack, encoder and decoder."""
        return sum(name.endswith(".cross.weights") for name in self.records)

    @property
    def encoder_self(self) -> Array:
        """The weights of each source token on the source, (layers, heads, S, S)."""
        return self._weights("encoder_self")

    @property
    def decoder_self(self) -> Array:
        """The weights of each target position on earlier positions, (layers, heads, T, T)."""
        return self._weights("decoder_self")

    @property
    def cross(self) -> Array:
        """The weights of each target position on the source, (layers, heads, T, S)."""
        return self._weights("cross")

    def attention(self, kind: Kind, *, rows: Rows = "read") -> AttentionMaps:
        """Return the maps of one kind of attention, with their labels.

        Args:
            kind: ``"encoder_self"``, ``"decoder_self"`` or ``"cross"``.
            rows: whether a decoder row is labelled by the token it has read last or by the token it
                writes. The weights are the same.

        Returns:
            Weights of all layers and heads, with the label of each row and column.

        Raises:
            ValueError: ``kind`` or ``rows`` is none of these.
        """
        if kind not in KINDS or rows not in ROWS:
            raise ValueError(f"no attention {kind!r} with rows {rows!r}; kinds are {KINDS}")
        if kind == "encoder_self":
            queries = self.src_tokens
        elif rows == "read":
            queries = self.tgt_tokens
        else:
            queries = self.next_tokens
        keys = self.tgt_tokens if kind == "decoder_self" else self.src_tokens
        return AttentionMaps(self._weights(kind), queries, keys)

    def attentions(self) -> tuple[AttentionData, ...]:
        """Return the maps of all three kinds, in the order of ``KINDS``, for drawing."""
        source_labels = display(self.src_tokens)
        read_labels = display(self.tgt_tokens)
        decoder_labels = {"written": display(self.next_tokens), "read": read_labels}
        return (
            AttentionData(
                kind="encoder_self",
                weights=self.encoder_self,
                queries={"read": source_labels},
                keys=source_labels,
                sides=("source", "source"),
            ),
            AttentionData(
                kind="decoder_self",
                weights=self.decoder_self,
                queries=decoder_labels,
                keys=read_labels,
                sides=("target", "target"),
                causal=True,
            ),
            AttentionData(
                kind="cross",
                weights=self.cross,
                queries=decoder_labels,
                keys=source_labels,
                sides=("target", "source"),
            ),
        )

    def _weights(self, kind: Kind) -> Array:
        """Stack the weights of all layers: (layers, heads, queries, keys)."""
        names = [f"{attention_name(kind, layer)}.weights" for layer in range(self.n_layers)]
        return read_only(np.stack([self.records[name] for name in names]))
