"""Find the sentences in which the behaviour of each head is strongest and weakest.

For every sentence two numbers are counted: the opportunities that the head had, and how often it
took them. Depending on what the head is named for, an opportunity is

- an offset or a sink: a row of its map,
- a relation of grammar: a marked pair of words,
- alignment: a link between two words.

The rate is the ratio of both over all sentences, with an interval from a bootstrap over sentences.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple, cast

import numpy as np

from model.alignment.cross_validation import best_method, two_folds
from model.alignment.error_rate import METHODS, counts_of_heads
from model.alignment.gold import AlignedPair
from model.arrays import Array
from model.evaluation.bootstrap import Estimate, ratios
from model.heads.analysis_file import Analysis, Occurrence, Occurrences, OfKinds
from model.heads.kinds import OFFSETS, HeadKind, MeasuredKind, kinds_of
from model.heads.statistics import n_visible, sink_mass
from model.heads.syntax import RELATIONS, look, sentences_for
from model.transformer.heads import KINDS, Head, all_heads
from model.translation_model import TranslationModel

N_MOST = 10  # sentences stored for each head: those with the highest rate
N_LEAST = 5  # and those with the lowest rate
_DECIMALS = 4
KindsOfHeads = Mapping[Head, Sequence[MeasuredKind]]  # a head -> the kinds that it is named for


class Count(NamedTuple):
    """How often a head showed a behaviour in one sentence, and how often it had the opportunity."""

    source: str
    target: str  # empty if the decoder was not measured
    taken: float  # opportunities taken; for sinks the sum of attention shares
    opportunities: int

    @property
    def rate(self) -> float:
        """The number of times the head showed the behaviour, divided by the opportunities."""
        return self.taken / self.opportunities


Counts = Iterator[tuple[Head, HeadKind, Count]]


def occurrences(
    t: TranslationModel,
    analysis: Analysis,
    pairs: Sequence[tuple[str, str]],
    aligned: Sequence[AlignedPair],
) -> OfKinds[dict[str, Occurrences]]:
    """Count how often every head shows each behaviour that it is labelled with.

    Args:
        t: the model.
        analysis: its statistics and error rates, which decide what each head is named for.
        pairs: the sentences of the analysis, each with a translation that the decoder reads.
        aligned: the pairs on which the error rates of the analysis were measured.

    Returns:
        By attention, layer and head: a dict from what the head is named for to its rate and its
        sentences; empty for a head without a name.
    """
    # 1. Count in each sentence.
    kinds = {head: kinds_of(analysis, *head) for head in all_heads(t.config)}
    counts: dict[tuple[Head, HeadKind], list[Count]] = defaultdict(list)
    for head, kind, count in chain(
        _count_rows(t, kinds, pairs),
        _count_marked_words(t, kinds),
        _count_links(t, analysis, kinds, aligned),
    ):
        if count.opportunities:
            counts[head, kind].append(count)

    # 2. Arrange the results by layer and head.
    table: dict[str, list[list[dict[str, Occurrences]]]] = {
        attention: [[{} for _ in range(t.config.n_heads)] for _ in range(t.config.n_layers)]
        for attention in KINDS
    }
    for ((attention, layer, number), kind), counts_of_sentences in counts.items():
        table[attention][layer][number][kind] = summarise(kind, counts_of_sentences)
    return cast(OfKinds[dict[str, Occurrences]], table)


def _count_rows(
    t: TranslationModel, kinds_of_heads: KindsOfHeads, pairs: Sequence[tuple[str, str]]
) -> Counts:
    """Count the rows whose largest weight is at an offset, and sum the attention on sinks.

    Args:
        t: the model and its tokenizer.
        kinds_of_heads: the labels of each head.
        pairs: (source, target) texts.

    Yields:
        The head, its label, and the count in one sentence.
    """
    for source, target in pairs:
        trace = t.trace(source, target=target)
        for head, kinds in kinds_of_heads.items():
            attention, layer, number = head
            maps = trace.attention(attention)
            target_read = "" if attention == "encoder_self" else target
            for measured in kinds:
                if measured.kind == "sink":
                    rows = sink_mass(maps)[layer, number]  # (T,)
                elif measured.kind in OFFSETS:
                    visible = n_visible(maps.weights, attention)
                    rows = at_offset(maps.weights[layer, number], visible, measured.offset)
                else:
                    continue
                count = Count(source, target_read, float(rows.sum()), len(rows))
                yield head, measured.kind, count


def at_offset(weights: Array, n_visible_keys: Array, offset: int) -> Array:
    """Return whether the largest weight of each row is at an offset.

    Args:
        weights: (T, S), one head.
        n_visible_keys: (T,), how many keys each row sees.
        offset: position of the key minus position of the query.

    Returns:
        bool, one for each row that sees the key at this offset and at least one other key.
    """
    keys = np.arange(len(weights)) + offset
    has_choice = n_visible_keys > 1
    sees_key = (keys >= 0) & (keys < n_visible_keys)
    return (weights.argmax(axis=-1) == keys)[has_choice & sees_key]


def _count_marked_words(t: TranslationModel, kinds_of_heads: KindsOfHeads) -> Counts:
    """Count the sentences in which an encoder head looks from one marked word to the other."""
    for line in sentences_for(t):
        positions, looked_at = look(t, line)
        for relation, (word, other_word) in RELATIONS.items():
            hits = looked_at[..., positions[word]] == positions[other_word]  # (L, H)
            for head in _heads_named(relation, kinds_of_heads):
                _, layer, number = head
                yield head, relation, Count(line["sentence"], "", float(hits[layer, number]), 1)


def _count_links(
    t: TranslationModel,
    analysis: Analysis,
    kinds_of_heads: KindsOfHeads,
    aligned: Sequence[AlignedPair],
) -> Counts:
    """Count a head's correct links. Its method was chosen on the other half of the pairs.

    Args:
        t: the model and its tokenizer.
        analysis: the analysis with the error rates of the heads.
        kinds_of_heads: the labels of each head.
        aligned: the pairs with their links.

    Yields:
        The head, its label, and the count in one pair.
    """
    if analysis.alignment is None:
        return
    halves = two_folds(aligned) if analysis.alignment.halves else (aligned,)
    counts = {pair: counts_of_heads(t, pair) for pair in aligned}
    for head in _heads_named("alignment", kinds_of_heads):
        _, layer, number = head
        folds = best_method(analysis.alignment, layer, number).folds
        for judged, fold in zip(reversed(halves), folds, strict=True):
            method = METHODS[fold.indices[0]]
            for pair in judged:
                right, total = counts[pair][method][layer, number].tolist()
                yield head, "alignment", Count(pair.source, pair.target, right, total)


def _heads_named(kind: HeadKind, kinds_of_heads: KindsOfHeads) -> list[Head]:
    """Return the heads that are named for a behaviour."""
    return [
        head
        for head, kinds in kinds_of_heads.items()
        if any(measured.kind == kind for measured in kinds)
    ]


def summarise(kind: HeadKind, counts: Sequence[Count]) -> Occurrences:
    """Return the rate over all sentences, and the sentences with the highest and lowest rates.

    Between sentences of equal rates, the one with more opportunities comes first.
    """
    count_column = np.array([[count.taken] for count in counts])
    opportunity_column = np.array([[count.opportunities] for count in counts])
    [rate] = ratios(count_column, opportunity_column)
    # alignment is stored as the error rate 1 - rate, so the interval's bounds swap places
    if kind == "alignment":
        rate = Estimate(
            value=_as_stored(kind, rate.value),
            low=_as_stored(kind, rate.high),
            high=_as_stored(kind, rate.low),
        )
    most = sorted(counts, key=lambda count: (-count.rate, -count.opportunities))[:N_MOST]
    others = [count for count in counts if count.taken < count.opportunities and count not in most]
    least = sorted(others, key=lambda count: (count.rate, -count.opportunities))[:N_LEAST]
    return Occurrences(
        rate=rate,
        most=[_occurrence(kind, count) for count in most],
        least=[_occurrence(kind, count) for count in least],
    )


def _occurrence(kind: HeadKind, count: Count) -> Occurrence:
    return Occurrence(count.source, count.target, _as_stored(kind, count.rate))


def _as_stored(kind: HeadKind, rate: float) -> float:
    """Return the stored number: the error rate 1 - rate for alignment, otherwise the rate."""
    return round(1 - rate if kind == "alignment" else rate, _DECIMALS)
