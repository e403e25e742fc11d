"""A trace: everything one forward pass of a Transformer computed, and its attention maps."""

from typing import Literal, NamedTuple, get_args

import numpy as np

from model.arrays import Array, read_only
from model.pictures.offline_page import AttentionData
from model.pictures.tokens import display
from model.trace.base import BaseTrace
from model.transformer.heads import KINDS, Kind, attention_name

Rows = Literal["written", "read"]
ROWS: tuple[Rows, ...] = get_args(Rows)


class AttentionMaps(NamedTuple):
    """All maps of one kind of attention, with the labels that belong to them."""

    weights: Array  # (layers, heads, queries, keys) float32; each row sums to 1
    query_tokens: tuple[str, ...]  # label of each row
    key_tokens: tuple[str, ...]  # label of each column


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

        A decoder row is labelled by the token it has read last or by the token it writes; the
        weights are the same. ValueError if ``kind`` or ``rows`` is none of these.
        """
        if kind not in KINDS or rows not in ROWS:
            raise ValueError(f"no attention {kind!r} with rows {rows!r}; kinds are {KINDS}")
        of_decoder = self.tgt_tokens if rows == "read" else self.next_tokens
        queries = self.src_tokens if kind == "encoder_self" else of_decoder
        keys = self.tgt_tokens if kind == "decoder_self" else self.src_tokens
        return AttentionMaps(self._weights(kind), queries, keys)

    def attentions(self) -> tuple[AttentionData, ...]:
        """All three kinds, in the order of ``KINDS``."""
        src, read, written = map(display, (self.src_tokens, self.tgt_tokens, self.next_tokens))
        named = {"written": written, "read": read}
        return (
            AttentionData(
                "encoder_self", self.encoder_self, {"read": src}, src, ("source", "source")
            ),
            AttentionData(
                "decoder_self", self.decoder_self, named, read, ("target", "target"), True
            ),
            AttentionData("cross", self.cross, named, src, ("target", "source")),
        )

    def _weights(self, kind: Kind) -> Array:
        names = [f"{attention_name(kind, layer)}.weights" for layer in range(self.n_layers)]
        return read_only(np.stack([self.records[name] for name in names]))
