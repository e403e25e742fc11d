"""What each head of an analysed model is called for, with the number that it is called so for.

Sources: Voita et al. 2019, section 5 (positional and syntactic heads); Clark et al. 2019, section 3
(attention to special tokens and punctuation); Chen et al. 2020, section 3 (alignment with
induction, AWI).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from model.alignment.cross_validation import best_method
from model.heads.analysis_file import Analysis, Occurrences
from model.heads.syntax import RELATIONS, RelationName
from model.transformer.heads import Kind

Offset = Literal["previous", "next", "itself", "diagonal", "fixed"]
HeadKind = Literal[Offset, "sink", "alignment", RelationName]
OFFSETS: tuple[Offset, ...] = get_args(Offset)
HEAD_KINDS: tuple[HeadKind, ...] = get_args(HeadKind)
MOST = 0.5  # share of the rows, or of the attention, beyond which a head is called after it
ALIGNS = 0.5  # error rate below which a head aligns
_OF_OFFSET: Mapping[int, Offset] = {-1: "previous", 0: "itself", 1: "next"}


@dataclass(frozen=True)
class MeasuredKind:
    """One thing that a head was measured to do."""

    kind: HeadKind
    number: float  # share of the rows, the attention or the sentences; of alignment the error rate
    n: int  # sentences, or pairs, that it was measured on
    offset: int = 0  # of a fixed one: key position minus query position
    baseline: float = 0.0  # of a relation of grammar: what the most frequent distance would reach
    occurrences: Occurrences | None = None  # with the interval of the number, where it was measured


def kinds_of(
    analysis: Analysis, attention: Kind, layer: int, head: int
) -> tuple[MeasuredKind, ...]:
    """All that a head is called for, in the order of ``HEAD_KINDS``; often nothing.

    Rows count for an offset where they can look there. In cross-attention positions of two
    sentences are compared, so what stands on the diagonal, or next to it, is called so. A sink
    attends to special tokens and punctuation. Layer and head count from 0.
    """
    statistics, n = analysis.statistics[attention][layer][head], analysis.sentences
    found = []
    if statistics.offset_share > MOST:
        kind = _OF_OFFSET.get(statistics.offset, "fixed")
        if attention == "cross" and kind != "fixed":
            kind = "diagonal"
        found.append(MeasuredKind(kind, statistics.offset_share, n, offset=statistics.offset))
    if statistics.sink_mass > MOST:
        found.append(MeasuredKind("sink", statistics.sink_mass, n))
    if attention == "cross" and analysis.alignment:
        rate = best_method(analysis.alignment, layer, head).rate
        if rate < ALIGNS:
            found.append(MeasuredKind("alignment", rate, analysis.alignment.pairs))
    if attention == "encoder_self" and (syntax := analysis.syntax):
        for name in RELATIONS:
            of = getattr(syntax.relations, name)
            if of.like[layer][head]:
                share, n = of.heads[layer][head], syntax.sentences
                found.append(MeasuredKind(name, share, n, baseline=of.baseline))
    measured = analysis.occurrences[attention][layer][head] if analysis.occurrences else {}
    return tuple(replace(one, occurrences=measured.get(one.kind)) for one in found)


def best_awi_head(analysis: Analysis | None) -> tuple[int, int] | None:
    """Layer and head, from 0, with the lowest error rate by weights, AWI, if it was measured."""
    if analysis is None or analysis.alignment is None:
        return None
    rates = analysis.alignment.rates["weights AWI"].heads  # (layers, heads)
    return divmod(int(np.argmin(rates)), len(rates[0]))


def aligns_by_input_token(
    analysis: Analysis | None, layer: int, head: int
) -> tuple[float, float] | None:
    """Whether a cross-attention head, from 0, aligns by the token that a row has just read.

    Its map looks shifted by one row where rows are named by the token that they write.

    Returns:
        Its error rates by weights, AWI and AWO, where the first is the lower one and below
        ``ALIGNS``; otherwise, or where none was measured, None.
    """
    if analysis is None or analysis.alignment is None:
        return None
    rates = analysis.alignment.rates
    read = rates["weights AWI"].heads[layer][head]
    written = rates["weights AWO"].heads[layer][head]
    return (read, written) if read < min(ALIGNS, written) else None
