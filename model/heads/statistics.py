"""What the heads do over a corpus, not in one sentence.

Source: Voita et al. 2019, sections 3 and 5 (confidence, positional heads); Clark et al. 2019,
section 3 (entropy, attention to special tokens).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np
from msgspec import Struct

from model.data.tokenizer import ENDS
from model.files.json_file import Number, Whole
from model.maps.entropy import entropy
from model.maps.sinks import says_little
from model.trace.base import Array
from model.trace.transformer import Kind, Trace

POSITIONAL = 0.9  # of the rows have their strongest key at one offset; Voita et al. 2019


class HeadStatistics(Struct, frozen=True, kw_only=True):
    """One head, over all rows of a corpus.

    Args:
        entropy: mean over the rows, in nats.
        confidence: mean of the row's largest weight, EOS left out as key and as query.
        sink_mass: share of the attention that goes to special tokens and punctuation.
        offset: strongest fixed offset, key position minus query position.
        offset_share: share of the rows whose largest weight stands there, of those that can: rows
            that see a key at this offset, and not it alone. Else no head that looks one token back
            would count in short sentences, whose first rows have nothing there.
        distance: mean of |key - query|, weighted by the attention, in tokens.
        positional: whether it looks at one fixed offset at least 90 % of the time.
    """

    entropy: Number
    confidence: Number
    sink_mass: Number
    offset: Whole
    offset_share: Number
    distance: Number
    positional: bool


class Tally:
    """Statistics of every head of one kind of attention, sentence by sentence; no trace is kept.

    Args:
        kind: which attention.
    """

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self._rows: list[Array] = []
        self._offsets: dict[tuple[int, int], Counter[int]] = {}
        self._possible: Counter[int] = Counter()  # rows with a choice that see a key at an offset

    def add(self, trace: Trace) -> None:
        """Count all rows of one sentence."""
        maps = trace.attention(self.kind)
        self._rows.append(_row_measures(maps.weights, maps.query_tokens, maps.key_tokens))
        seen = n_visible(maps.weights, self.kind)  # (T,)
        for query in np.flatnonzero(seen > 1).tolist():
            self._possible.update(range(-query, seen[query] - query))
        peaks = maps.weights.argmax(axis=-1) - np.arange(len(maps.query_tokens))  # (L, H, T)
        for layer, heads in enumerate(peaks[..., seen > 1]):
            for head, row in enumerate(heads):
                self._offsets.setdefault((layer, head), Counter()).update(row.tolist())

    def statistics(self) -> list[list[HeadStatistics]]:
        """By layer and head; at least one sentence was added."""
        means = np.nanmean(np.concatenate(self._rows, axis=-1), axis=-1)  # (4, L, H)
        return [
            [
                _statistics(means[:, layer, head], self._offsets[layer, head], self._possible)
                for head in range(means.shape[2])
            ]
            for layer in range(means.shape[1])
        ]


def head_statistics(traces: Iterable[Trace], kind: Kind) -> list[list[HeadStatistics]]:
    """Statistics of every head of one kind of attention.

    Args:
        traces: of a corpus; every row of every sentence counts the same.
        kind: which attention.

    Returns:
        By layer and head.
    """
    tally = Tally(kind)
    for trace in traces:
        tally.add(trace)
    return tally.statistics()


def n_visible(weights: Array, kind: Kind) -> Array:
    """How many keys each query sees.

    Args:
        weights: (..., T, S).
        kind: which attention; the decoder's own sees no later token.

    Returns:
        (T,) int.
    """
    n_queries, n_keys = weights.shape[-2:]
    seen: Array = (
        np.arange(1, n_queries + 1) if kind == "decoder_self" else np.full(n_queries, n_keys)
    )
    return seen


def _statistics(means: Array, offsets: Counter[int], possible: Counter[int]) -> HeadStatistics:
    # Where all translations are empty no row of the decoder has a choice.
    offset, count = next(iter(offsets.most_common(1)), (0, 0))
    share = count / possible[offset] if count else 0.0
    return HeadStatistics(
        entropy=float(means[0]),
        confidence=float(means[1]),
        sink_mass=float(means[2]),
        distance=float(means[3]),
        offset=offset,
        offset_share=share,
        positional=share >= POSITIONAL,
    )


def _row_measures(
    weights: Array, query_tokens: tuple[str, ...], key_tokens: tuple[str, ...]
) -> Array:
    """Entropy, confidence, sink mass and distance of every row: (4, L, H, T)."""
    queries, keys = np.arange(len(query_tokens)), np.arange(len(key_tokens))
    no_end = np.array([token not in ENDS for token in key_tokens])
    confidence = weights[..., no_end].max(axis=-1)
    confidence[..., np.array([token in ENDS for token in query_tokens])] = np.nan
    little = np.array([says_little(token) for token in key_tokens])
    return np.stack(
        [
            entropy(weights),
            confidence,
            weights[..., little].sum(axis=-1),
            (weights * np.abs(keys - queries[:, None])).sum(axis=-1),
        ]
    )
