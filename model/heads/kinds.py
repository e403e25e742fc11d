"""Name each head of an analysed model by its behaviour, with the measured number.

The numbers come from ``statistics`` and ``syntax``.

Sources: Voita et al. 2019, section 5 (positional and syntactic heads); Clark et al. 2019, section 3
(attention to special tokens and punctuation); Chen et al. 2020, section 3 (alignment with
induction, AWI).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from model.alignment.cross_validation import best_method
from model.alignment.error_rate import Method
from model.heads.analysis_file import Analysis, Occurrences
from model.heads.statistics import MIN_SHARE
from model.heads.syntax import RELATIONS, RelationName
from model.transformer.heads import Kind

Offset = Literal["previous", "next", "itself", "diagonal", "fixed"]
HeadKind = Literal[Offset, "sink", "alignment", RelationName]
OFFSETS: tuple[Offset, ...] = get_args(Offset)
HEAD_KINDS: tuple[HeadKind, ...] = get_args(HeadKind)
MAX_ERROR_RATE = 0.5  # largest error rate of a head that is named an aligner
_KIND_OF_OFFSET: Mapping[int, Offset] = {-1: "previous", 0: "itself", 1: "next"}


@dataclass(frozen=True)
class MeasuredKind:
    """One behaviour of a head, with its measured number."""

    kind: HeadKind
    number: float  # share of rows, of attention or of sentences; for an aligner its error rate
    n: int  # number of sentences, or aligned pairs, that were measured
    offset: int = 0  # for a fixed offset: key position minus query position
    # for a grammatical relation: the share of sentences that the most frequent distance explains
    baseline: float = 0.0
    occurrences: Occurrences | None = None  # its sentences and interval, if they were measured


def kinds_of(
    analysis: Analysis, attention: Kind, layer: int, head: int
) -> tuple[MeasuredKind, ...]:
    """Return every label of a head, in the order of ``HEAD_KINDS``; () for most heads.

    A row counts for an offset only if it sees a key there. In cross-attention the positions of two
    sentences are compared, so that an offset of -1, 0 or 1 is called diagonal. A sink is a special
    token or punctuation.

    Args:
        analysis: of the model.
        attention: which of the three attentions.
        layer, head: from 0.
    """
    statistics = analysis.statistics[attention][layer][head]
    n_sentences = analysis.sentences
    kinds = []

    # 1. Check for a fixed offset.
    if statistics.offset_share > MIN_SHARE:
        kind = _KIND_OF_OFFSET.get(statistics.offset, "fixed")
        if attention == "cross" and kind != "fixed":
            kind = "diagonal"
        kinds.append(
            MeasuredKind(kind, statistics.offset_share, n_sentences, offset=statistics.offset)
        )

    # 2. Check for special tokens and punctuation.
    if statistics.sink_mass > MIN_SHARE:
        kinds.append(MeasuredKind("sink", statistics.sink_mass, n_sentences))

    # 3. Check for alignment.
    if attention == "cross" and analysis.alignment:
        rate = best_method(analysis.alignment, layer, head).rate
        if rate < MAX_ERROR_RATE:
            kinds.append(MeasuredKind("alignment", rate, analysis.alignment.pairs))

    # 4. Check for grammatical relations.
    if attention == "encoder_self" and analysis.syntax:
        for name in RELATIONS:
            relation = getattr(analysis.syntax.relations, name)
            if relation.like[layer][head]:
                share = relation.heads[layer][head]
                n_marked = analysis.syntax.sentences
                kinds.append(MeasuredKind(name, share, n_marked, baseline=relation.baseline))

    # 5. Add the sentences for each label.
    measured = analysis.occurrences[attention][layer][head] if analysis.occurrences else {}
    return tuple(replace(kind, occurrences=measured.get(kind.kind)) for kind in kinds)


def best_awi_head(analysis: Analysis | None) -> tuple[int, int] | None:
    """Return (layer, head), from 0, with the lowest AWI error rate; None if not measured."""
    return _best_head(analysis, "weights AWI")


def best_awo_head(analysis: Analysis | None) -> tuple[int, int] | None:
    """Return (layer, head), from 0, with the lowest AWO error rate; None if not measured."""
    return _best_head(analysis, "weights AWO")


def _best_head(analysis: Analysis | None, method: Method) -> tuple[int, int] | None:
    if analysis is None or analysis.alignment is None:
        return None
    rates = analysis.alignment.rates[method].heads  # (layers, heads)
    return divmod(int(np.argmin(rates)), len(rates[0]))


def aligns_by_input_token(
    analysis: Analysis | None, layer: int, head: int
) -> tuple[float, float] | None:
    """Return the error rates of a head that aligns best by input token (AWI), otherwise None.

    If rows are named by the token that they write (AWO), the map of such a head looks shifted by
    one row.

    Args:
        analysis: of the model, if there is one.
        layer, head: from 0.

    Returns:
        Its error rates by weights, AWI and AWO, if the first is lower than the second and than
        ``MAX_ERROR_RATE``; otherwise None.
    """
    if analysis is None or analysis.alignment is None:
        return None
    rates = analysis.alignment.rates
    read = rates["weights AWI"].heads[layer][head]
    written = rates["weights AWO"].heads[layer][head]
    return (read, written) if read < min(MAX_ERROR_RATE, written) else None
