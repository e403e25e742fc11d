"""How the heads of a model came about: the same sentences, read by the snapshots of its training.

At every step the decoder reads the same target, the trained model's translation (teacher forcing):
only then do all steps have the same rows and can be compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from model.heads.statistics import head_statistics, n_visible
from model.maps.measures import normalised_entropy
from model.trace.base import Array
from model.trace.tracing import Target, trace_pair
from model.trace.transformer import Trace
from model.transformer.heads import Kind
from model.transformer.transformer import Transformer
from model.translation_model import TranslationModel

NAMES = frozenset({"Tom", "Boston", "Paul", "John", "Ken", "Bill", "Jim", "Bob", "Kate"})
SENTENCES = (  # with names, which are the same in French: what a row that writes one should find
    "Tom lives in Boston.",
    "My name is Paul.",
    "I met Tom in Boston yesterday.",
    "Tom and Paul are good friends.",
    "Paul is taller than Tom.",
    "Tom said that he was very tired.",
    "Did you see Tom this morning?",
    "She gave Tom the book that he had asked for.",
    "I don't know where Tom lives.",
    "Why didn't Tom come to Boston with us?",
    "This is the best film that Paul has ever seen.",
    "We have to get up early tomorrow morning.",
)


@dataclass(frozen=True)
class Timeline:
    """One kind of attention through N snapshots; every array is (N, layers, heads).

    Rows that see a single key are left out: they have no choice.

    Args:
        entropy: mean over the rows, as a share of the most that a row can have.
        positional: share of the rows whose largest weight stands at the head's strongest offset,
            of those that have it; it may be another offset at each snapshot (``head_statistics``).
        agreement: share of the rows whose largest weight stands where the last snapshot's does.
        names: mean weight of a row that writes a name on that name in the source; NaN where no
            row writes one, and for self-attention.
        n_rows: how many rows there are, without those of a single key.
        n_names: how many write a name.
    """

    entropy: Array
    positional: Array
    agreement: Array
    names: Array
    n_rows: int
    n_names: int


def read_snapshots(
    t: TranslationModel, snapshots: Sequence[Transformer], text: str, target: Target
) -> list[Trace]:
    """A trace of each snapshot reading the same pair.

    Args:
        t: the trained model, whose tokenizer all share.
        snapshots: N models.
        text: the source sentence.
        target: what the decoder reads, usually the ids that the trained model wrote.

    Returns:
        N traces that hold attention weights and nothing else.

    Raises:
        InputError: a text is empty or too long.
    """
    return [weights_only(trace_pair(Trace, s, t.tokenizer, text, target=target)) for s in snapshots]


def weights_only(trace: Trace) -> Trace:
    """The same trace without what no map needs: a tenth of the memory."""
    kept = {name: a for name, a in trace.records.items() if name.endswith(".weights")}
    return replace(trace, records=MappingProxyType(kept))


def timeline(traces: Sequence[Sequence[Trace]], kind: Kind) -> Timeline:
    """Measure one kind of attention at every snapshot.

    Args:
        traces: of each snapshot, in order, those of the same pairs.
        kind: which attention.
    """
    last = traces[-1]
    found = name_places(last) if kind == "cross" else []
    return Timeline(
        entropy=np.stack([_entropy(now, kind) for now in traces]),
        positional=np.stack([_positional(now, kind) for now in traces]),
        agreement=np.stack([_agreement(now, last, kind) for now in traces]),
        names=np.stack([_weight_at(now, found) for now in traces]),
        n_rows=sum(
            int((n_visible(trace.attention(kind).weights, kind) > 1).sum()) for trace in last
        ),
        n_names=len(found),
    )


def name_places(traces: Sequence[Trace]) -> list[tuple[int, int, int]]:
    """Where a name is written that stands in the source: (pair, row of the decoder, source token).

    Only names that are one token, once in the source and once in the target: elsewhere the right
    place is not known without an aligner.
    """
    places = []
    for pair, trace in enumerate(traces):
        for row, token in enumerate(trace.next_tokens):
            once = trace.next_tokens.count(token) == trace.src_tokens.count(token) == 1
            if token.strip() in NAMES and once:
                places.append((pair, row, trace.src_tokens.index(token)))
    return places


def since(values: Array, level: float) -> int | None:
    """From which snapshot on a measure stays at or above a level; None if it does not at the end.

    Args:
        values: (N,) one value a snapshot.
        level: the least that counts.

    >>> since(np.array([0.1, 0.9, 0.2, 0.9, 1.0]), 0.9)
    3
    """
    below = np.flatnonzero(~(values >= level))
    first = int(below[-1]) + 1 if below.size else 0
    return first if first < len(values) else None


def _entropy(traces: Sequence[Trace], kind: Kind) -> Array:
    maps = [trace.attention(kind).weights for trace in traces]  # (layers, heads, T, S) each
    rows = [normalised_entropy(weights, n_visible(weights, kind)) for weights in maps]
    return _mean_of_choices(rows, maps, kind)


def _positional(traces: Sequence[Trace], kind: Kind) -> Array:
    return np.array(
        [[head.offset_share for head in layer] for layer in head_statistics(traces, kind)]
    )


def _agreement(traces: Sequence[Trace], last: Sequence[Trace], kind: Kind) -> Array:
    maps = [trace.attention(kind).weights for trace in traces]
    final_maps = [trace.attention(kind).weights for trace in last]
    same = [a.argmax(axis=-1) == b.argmax(axis=-1) for a, b in zip(maps, final_maps, strict=True)]
    return _mean_of_choices(same, maps, kind)


def _mean_of_choices(rows: Sequence[Any], maps: Sequence[Array], kind: Kind) -> Array:
    """The mean of (layers, heads, T) over all rows that see more than one key: (layers, heads)."""
    kept = [one[..., n_visible(weights, kind) > 1] for one, weights in zip(rows, maps, strict=True)]
    mean: Array = np.concatenate(kept, axis=-1).mean(axis=-1)
    return mean


def _weight_at(traces: Sequence[Trace], places: Sequence[tuple[int, int, int]]) -> Array:
    """Mean weight of these cells of the cross-attention: (layers, H); NaN without a cell."""
    if not places:
        return np.full(traces[0].cross.shape[:2], np.nan)
    mean: Array = np.stack(
        [traces[pair].cross[:, :, row, token] for pair, row, token in places]
    ).mean(axis=0)
    return mean
