"""How the heads of a model came about: the same sentences, read by the snapshots of its training.

At every step the decoder reads the same target, the trained model's translation (teacher forcing):
only then do all steps have the same rows and can be compared.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from model.arrays import Array
from model.heads.statistics import head_statistics, n_visible
from model.maps.measures import normalised_entropy
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
    """One kind of attention through N snapshots, without rows that see a single key.

    Every array is (N, layers, heads).
    """

    entropy: Array  # mean over the rows, as a share of the most that a row can have
    positional: Array  # ``HeadStatistics.offset_share``; the offset may be another at each snapshot
    agreement: Array  # share of the rows whose largest weight stands where the last snapshot's does
    names: Array  # mean weight of a row that writes a name on it in the source; NaN without one
    n_rows: int
    n_names: int  # rows that write a name


def read_snapshots(
    t: TranslationModel, snapshots: Sequence[Transformer], text: str, target: Target
) -> list[Trace]:
    """The attention weights of N snapshots reading a pair; InputError if a text cannot be taken."""
    return [weights_only(trace_pair(Trace, s, t.tokenizer, text, target=target)) for s in snapshots]


def weights_only(trace: Trace) -> Trace:
    """The same trace without what no map needs: a tenth of the memory."""
    kept = {name: a for name, a in trace.records.items() if name.endswith(".weights")}
    return replace(trace, records=MappingProxyType(kept))


def timeline(traces: Sequence[Sequence[Trace]], kind: Kind) -> Timeline:
    """Measure one kind of attention at every snapshot, given by its traces of the same pairs."""
    maps = [[trace.attention(kind).weights for trace in now] for now in traces]
    peaks = [[weights.argmax(axis=-1) for weights in now] for now in maps]
    seen = [n_visible(weights, kind) for weights in maps[-1]]  # (T,) of each pair
    found = name_places(traces[-1]) if kind == "cross" else []

    def mean(rows: Iterable[Array]) -> Array:
        """Of (layers, heads, T) of each pair, over all rows with a choice: (layers, heads)."""
        kept = [row[..., n > 1] for row, n in zip(rows, seen, strict=True)]
        return np.concatenate(kept, axis=-1).mean(axis=-1)

    return Timeline(
        entropy=np.stack([mean(map(normalised_entropy, now, seen)) for now in maps]),
        positional=np.stack([_positional(now, kind) for now in traces]),
        agreement=np.stack([mean(map(np.equal, now, peaks[-1])) for now in peaks]),
        names=np.stack([_weight_at(now, found) for now in traces]),
        n_rows=sum(int((n > 1).sum()) for n in seen),
        n_names=len(found),
    )


def _positional(traces: Sequence[Trace], kind: Kind) -> Array:
    statistics = head_statistics(traces, [kind])[kind]
    return np.array([[head.offset_share for head in layer] for layer in statistics])


def _weight_at(traces: Sequence[Trace], places: Sequence[tuple[int, int, int]]) -> Array:
    """Mean weight of these cells of the cross-attention: (layers, H); NaN without a cell."""
    if not places:
        return np.full(traces[0].cross.shape[:2], np.nan)
    cells = [traces[pair].cross[:, :, row, token] for pair, row, token in places]
    return np.stack(cells).mean(axis=0)


def name_places(traces: Sequence[Trace]) -> list[tuple[int, int, int]]:
    """Where a name is written that stands in the source: (pair, row of the decoder, source token).

    Only names that are one token, once in the source and once in the target: elsewhere the right
    place is not known without an aligner.
    """
    return [
        (pair, row, trace.src_tokens.index(token))
        for pair, trace in enumerate(traces)
        for row, token in enumerate(trace.next_tokens)
        if token.strip() in NAMES
        and trace.next_tokens.count(token) == trace.src_tokens.count(token) == 1
    ]


def since(values: Array, level: float) -> int | None:
    """From which of N snapshots on a measure stays at or above a level; None if never for good.

    >>> since(np.array([0.1, 0.9, 0.2, 0.9, 1.0]), 0.9)
    3
    """
    first = max(np.flatnonzero(~(values >= level)).tolist(), default=-1) + 1
    return first if first < len(values) else None
