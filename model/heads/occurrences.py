"""In which sentences a head does most what it is called for, and in which it could and does not.

In every sentence it is counted how often a head could do it, and how often it did: rows that can
look at an offset, attention, marked words, links between words. A rate is the ratio of both, and
its interval is from a bootstrap over the sentences.
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

MOST, LEAST = 10, 5  # sentences that are kept of each
_DECIMALS = 4
Does = Mapping[Head, Sequence[MeasuredKind]]


class _Count(NamedTuple):
    """How often a head did one thing in one sentence, and how often it could."""

    source: str
    target: str
    did: float
    could: int

    @property
    def rate(self) -> float:
        return self.did / self.could


Counts = Iterator[tuple[Head, HeadKind, _Count]]


def occurrences(
    t: TranslationModel,
    analysis: Analysis,
    pairs: Sequence[tuple[str, str]],
    aligned: Sequence[AlignedPair],
) -> OfKinds[dict[str, Occurrences]]:
    """By head all that ``kinds_of`` calls it for, with the rate and its interval.

    Args:
        pairs: the sentences of the analysis with their translations, which are read.
        aligned: the pairs that its error rates were measured on.
    """
    does = {head: kinds_of(analysis, *head) for head in all_heads(t.config)}
    counts: dict[tuple[Head, HeadKind], list[_Count]] = defaultdict(list)
    for head, kind, count in chain(
        _in_rows(t, does, pairs), _in_marked(t, does), _in_links(t, analysis, does, aligned)
    ):
        if count.could:
            counts[head, kind].append(count)
    found: dict[str, list[list[dict[str, Occurrences]]]] = {
        kind: [[{} for _ in range(t.config.n_heads)] for _ in range(t.config.n_layers)]
        for kind in KINDS
    }
    for ((attention, layer, n), kind), of_sentences in counts.items():
        found[attention][layer][n][kind] = _occurrences(kind, of_sentences)
    return cast(OfKinds[dict[str, Occurrences]], found)


def _in_rows(t: TranslationModel, does: Does, pairs: Sequence[tuple[str, str]]) -> Counts:
    """Rows whose largest weight stands at an offset, and attention that goes to a sink."""
    for source, target in pairs:
        trace = t.trace(source, target=target)
        for head, kinds in does.items():
            attention, layer, n = head
            maps, read = trace.attention(attention), target * (attention != "encoder_self")
            for one in kinds:
                if one.kind == "sink":
                    rows = sink_mass(maps)[layer, n]
                elif one.kind in OFFSETS:
                    seen = n_visible(maps.weights, attention)
                    rows = at_offset(maps.weights[layer, n], seen, one.offset)
                else:
                    continue
                yield head, one.kind, _Count(source, read, float(rows.sum()), len(rows))


def at_offset(weights: Array, seen: Array, offset: int) -> Array:
    """Whether the largest weight stands there, of each row that sees this key and another one.

    From (T, S) weights and the T numbers of keys that a row sees.
    """
    at = np.arange(len(weights)) + offset
    could = (seen > 1) & (at >= 0) & (at < seen)
    return (weights.argmax(axis=-1) == at)[could]


def _in_marked(t: TranslationModel, does: Does) -> Counts:
    """The encoder's looks from one marked word to the other."""
    for line in sentences_for(t):
        at, looked = look(t, line)
        for name, (word, other) in RELATIONS.items():
            hits = looked[..., at[word]] == at[other]  # (L, H)
            for head in _that_do(name, does):
                yield head, name, _Count(line["sentence"], "", float(hits[head[1:]]), 1)


def _in_links(
    t: TranslationModel, analysis: Analysis, does: Does, aligned: Sequence[AlignedPair]
) -> Counts:
    """Links that are right; the method is that of the error rate, chosen on the other half."""
    if analysis.alignment is None:
        return
    halves = two_folds(aligned) if analysis.alignment.halves else (aligned,)
    counts = {pair: counts_of_heads(t, pair) for pair in aligned}
    for head in _that_do("alignment", does):
        _, layer, n = head
        folds = best_method(analysis.alignment, layer, n).folds
        for judged, fold in zip(reversed(halves), folds, strict=True):
            for pair in judged:
                right, of = counts[pair][METHODS[fold.place[0]]][layer, n].tolist()
                yield head, "alignment", _Count(pair.source, pair.target, right, of)


def _that_do(kind: HeadKind, does: Does) -> list[Head]:
    return [head for head, kinds in does.items() if kind in {one.kind for one in kinds}]


def _occurrences(kind: HeadKind, counts: Sequence[_Count]) -> Occurrences:
    """Of sentences where it is done equally often those come first where there is most of it."""
    did = np.array([[count.did] for count in counts])
    [rate] = ratios(did, np.array([[count.could] for count in counts]))
    most = sorted(counts, key=lambda count: (-count.rate, -count.could))[:MOST]
    rest = [count for count in counts if count.did < count.could and count not in most]
    least = sorted(rest, key=lambda count: (count.rate, -count.could))[:LEAST]
    if kind == "alignment":
        rate = Estimate(*(_of_kind(kind, one) for one in (rate.value, rate.high, rate.low)))
    kept = (
        [Occurrence(count.source, count.target, _of_kind(kind, count.rate)) for count in some]
        for some in (most, least)
    )
    return Occurrences(rate, *kept)


def _of_kind(kind: HeadKind, rate: float) -> float:
    """As it is stored: what aligns is called for its error rate."""
    return round(1 - rate if kind == "alignment" else rate, _DECIMALS)
