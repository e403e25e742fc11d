"""Measure how heads develop during training, with the same sentences at every snapshot.

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
# The names are identical in French, so a row that writes a name should attend to this name in the
# source.
SENTENCES = (
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
    """The measures of one kind of attention at N snapshots, over rows that see more than one key.

    Every array is (N, layers, heads).
    """

    entropy: Array  # mean over the rows, as a share of the largest possible entropy
    positional: Array  # ``HeadStatistics.offset_share``; each snapshot may have a different offset
    agreement: Array  # share of the rows whose strongest key is the same as in the last snapshot
    # mean weight on the matching source name, in rows that write a name; NaN without names
    names: Array
    n_rows: int
    n_names: int  # rows that write a name


def read_snapshots(
    t: TranslationModel, snapshots: Sequence[Transformer], text: str, target: Target | None
) -> list[Trace]:
    """Trace a sentence and its translation with each of N snapshots.

    Args:
        t: the trained model, for its tokenizer.
        snapshots: models of the same architecture, in the order of their training.
        text: the sentence.
        target: the translation that every decoder reads; None: each snapshot translates by itself.

    Returns:
        N traces that hold the attention weights only.

    Raises:
        InputError: a text is empty or too long.
    """
    traces = []
    for snapshot in snapshots:
        trace = trace_pair(Trace, snapshot, t.tokenizer, text, target=target)
        traces.append(weights_only(trace))
    return traces


def weights_only(trace: Trace) -> Trace:
    """Return a copy of a trace with the records that maps need, a tenth of the memory."""
    weights = {name: a for name, a in trace.records.items() if name.endswith(".weights")}
    return replace(trace, records=MappingProxyType(weights))


def timeline(traces: Sequence[Sequence[Trace]], kind: Kind) -> Timeline:
    """Measure one kind of attention at every snapshot.

    Args:
        traces: for each snapshot, its traces of the same pairs in the same order.
        kind: which attention.
    """
    maps = [
        [trace.attention(kind).weights for trace in of_snapshot] for of_snapshot in traces
    ]  # (layers, heads, T, S) by snapshot and pair
    peaks = [[weights.argmax(axis=-1) for weights in of_snapshot] for of_snapshot in maps]
    n_keys = [n_visible(weights, kind) for weights in maps[-1]]  # (T,) of each pair
    names = name_cells(traces[-1]) if kind == "cross" else []

    def mean(rows: Iterable[Array]) -> Array:
        """Return the mean over rows that see several keys: (layers, heads, T) -> (layers, heads).

        NaN where no row has a choice: in the decoder, if all translations are empty.
        """
        with_choice = [row[..., n > 1] for row, n in zip(rows, n_keys, strict=True)]
        together = np.concatenate(with_choice, axis=-1)  # (layers, heads, N)
        if together.shape[-1] == 0:
            return np.full(together.shape[:-1], np.nan)
        return together.mean(axis=-1)

    return Timeline(
        entropy=np.stack([mean(map(normalised_entropy, weights, n_keys)) for weights in maps]),
        positional=np.stack([_positional(of_snapshot, kind) for of_snapshot in traces]),
        agreement=np.stack([mean(map(np.equal, keys, peaks[-1])) for keys in peaks]),
        names=np.stack([_mean_weight(of_snapshot, names) for of_snapshot in traces]),
        n_rows=sum(int((n > 1).sum()) for n in n_keys),
        n_names=len(names),
    )


def _positional(traces: Sequence[Trace], kind: Kind) -> Array:
    """Return ``HeadStatistics.offset_share`` of every head: (layers, heads)."""
    statistics = head_statistics(traces, [kind])[kind]
    return np.array([[head.offset_share for head in layer] for layer in statistics])


def _mean_weight(traces: Sequence[Trace], cells: Sequence[tuple[int, int, int]]) -> Array:
    """Return the mean weight of some cross-attention cells: (layers, heads); NaN without cells.

    Each cell is (pair, row, column).
    """
    if not cells:
        return np.full(traces[0].cross.shape[:2], np.nan)
    weights = [traces[pair].cross[:, :, row, column] for pair, row, column in cells]
    return np.stack(weights).mean(axis=0)


def name_cells(traces: Sequence[Trace]) -> list[tuple[int, int, int]]:
    """Return the cells whose row writes a name and whose column is this name in the source.

    Each cell is (pair, row of the decoder, source token). Only names that are one token and occur
    once in the source and once in the target: for others the right cell is not known without an
    aligner.
    """
    cells = []
    for pair, trace in enumerate(traces):
        for row, token in enumerate(trace.next_tokens):
            is_name = token.strip() in NAMES
            if is_name and trace.next_tokens.count(token) == trace.src_tokens.count(token) == 1:
                cells.append((pair, row, trace.src_tokens.index(token)))
    return cells


def since(values: Array, level: float) -> int | None:
    """Return the first snapshot from which on a measure stays at or above a level, or None.

    >>> since(np.array([0.1, 0.9, 0.2, 0.9, 1.0]), 0.9)
    3
    """
    below = np.flatnonzero(~(values >= level))  # NaN counts as below, too
    first = int(below[-1]) + 1 if len(below) else 0
    return first if first < len(values) else None
