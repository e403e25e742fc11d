"""What each head of an analysed model is called for, with the number that it is called so for.

Sources: Voita et al. 2019, section 5 (positional and syntactic heads); Clark et al. 2019, section 3
(attention to special tokens and punctuation).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from model.alignment.cross_validation import best_method
from model.heads.analysis_file import Analysis
from model.heads.best_aligning_head import ALIGNS
from model.heads.syntax import RELATIONS
from model.transformer.heads import Kind

HeadKind = Literal[
    "previous",
    "next",
    "itself",
    "diagonal",
    "fixed",
    "sink",
    "alignment",
    "verb_object",
    "object_verb",
    "verb_subject",
    "subject_verb",
]
HEAD_KINDS: tuple[HeadKind, ...] = get_args(HeadKind)
MOST = 0.5  # share of the rows, or of the attention, beyond which a head is called after it
_OF_OFFSET: Mapping[int, HeadKind] = {-1: "previous", 0: "itself", 1: "next"}


@dataclass(frozen=True)
class Found:
    """One thing that a head was measured to do.

    Args:
        kind: what it is called.
        number: share of the rows, of the attention or of the sentences; of alignment the error
            rate, which is small where a head aligns well.
        n: sentences, or pairs, that it was measured on.
        offset: where it looks, key position minus query position; of a fixed offset alone.
        baseline: what the most frequent distance would reach; of relations of grammar alone.
    """

    kind: HeadKind
    number: float
    n: int
    offset: int = 0
    baseline: float = 0.0


def kinds_of(analysis: Analysis, attention: Kind, layer: int, head: int) -> tuple[Found, ...]:
    """All that a head is called for, in the order of ``HEAD_KINDS``; often nothing.

    Previous and next token, itself, a fixed offset: the largest weight stands there in more than
    half of the rows that can look there. In cross-attention positions of two sentences are
    compared, so what stands on the diagonal, or next to it, is called so. A sink: more than half of
    the attention goes to special tokens and punctuation. Alignment: an error rate below one half.
    Relations of grammar: see ``model.heads.syntax``.

    Args:
        analysis: of a checkpoint.
        attention: which of the three.
        layer: from 0.
        head: from 0.
    """
    found = [
        *_positions(analysis, attention, layer, head),
        *_alignment(analysis, attention, layer, head),
        *_relations(analysis, attention, layer, head),
    ]
    return tuple(sorted(found, key=lambda one: HEAD_KINDS.index(one.kind)))


def best_rate(analysis: Analysis, layer: int, head: int) -> float | None:
    """Alignment error rate of a cross-attention head by its best method.

    That is one of ``alignment.by_head.METHODS``, chosen on one half of the pairs and judged on the
    other, where halves were measured.

    Args:
        analysis: of a checkpoint.
        layer: from 0.
        head: from 0.
    """
    alignment = analysis.alignment
    return None if alignment is None else best_method(alignment, layer, head).rate


def _positions(analysis: Analysis, attention: Kind, layer: int, head: int) -> Iterator[Found]:
    statistics = analysis.statistics[attention][layer][head]
    n, offset = analysis.sentences, statistics.offset
    if statistics.offset_share > MOST:
        kind = _OF_OFFSET.get(offset, "fixed")
        if attention == "cross" and kind != "fixed":
            kind = "diagonal"
        yield Found(kind, statistics.offset_share, n, offset=offset)
    if statistics.sink_mass > MOST:
        yield Found("sink", statistics.sink_mass, n)


def _alignment(analysis: Analysis, attention: Kind, layer: int, head: int) -> Iterator[Found]:
    rate = best_rate(analysis, layer, head) if attention == "cross" else None
    if analysis.alignment and rate is not None and rate < ALIGNS:
        yield Found("alignment", rate, analysis.alignment.pairs)


def _relations(analysis: Analysis, attention: Kind, layer: int, head: int) -> Iterator[Found]:
    syntax = analysis.syntax
    if attention != "encoder_self" or syntax is None:
        return
    for name in RELATIONS:
        relation = getattr(syntax.relations, name)
        if relation.like[layer][head]:
            share, baseline = relation.heads[layer][head], relation.baseline
            yield Found(name, share, syntax.sentences, baseline=baseline)
