"""The kind of each head, and the head that aligns best."""

from types import SimpleNamespace

import pytest

from model.alignment.error_rate import METHODS
from model.heads.analysis_file import Relation, Relations, Syntax
from model.heads.kinds import (
    MeasuredKind,
    aligns_by_input_token,
    best_awi_head,
    best_awo_head,
    kinds_of,
)
from model.transformer.heads import KINDS


def analysis(offset: int = 4, share: float = 0.2, sink: float = 0.1, **others):
    """Return an analysis of one layer with two heads. The second head has these statistics."""
    dull = SimpleNamespace(offset=0, offset_share=0.5, sink_mass=0.5)
    head = SimpleNamespace(offset=offset, offset_share=share, sink_mass=sink)
    statistics = {kind: [[dull, head]] for kind in KINDS}
    values = {"statistics": statistics, "alignment": None, "syntax": None} | others
    return SimpleNamespace(occurrences=None, sentences=500, **values)


def names(kinds: tuple[MeasuredKind, ...]) -> list[str]:
    return [measured.kind for measured in kinds]


@pytest.mark.parametrize(
    ("offset", "itself", "across"),
    [
        (-1, "previous", "diagonal"),
        (0, "itself", "diagonal"),
        (1, "next", "diagonal"),
        (2, "fixed", "fixed"),
        (-3, "fixed", "fixed"),
    ],
)
def test_a_head_gets_a_kind_if_it_attends_there_in_more_than_half_of_the_rows(
    offset, itself, across
):
    measured = analysis(offset, 0.51)
    assert kinds_of(measured, "encoder_self", 0, 1) == (
        MeasuredKind(itself, 0.51, 500, offset=offset),
    )
    assert names(kinds_of(measured, "decoder_self", 0, 1)) == [itself]
    assert names(kinds_of(measured, "cross", 0, 1)) == [across]
    assert kinds_of(analysis(offset, 0.5), "encoder_self", 0, 1) == ()


def test_a_head_with_exactly_half_of_the_rows_or_of_the_weight_has_no_kind():
    assert kinds_of(analysis(), "encoder_self", 0, 0) == ()
    assert kinds_of(analysis(sink=0.5), "cross", 0, 1) == ()
    assert kinds_of(analysis(sink=0.51), "cross", 0, 1) == (MeasuredKind("sink", 0.51, 500),)


def test_alignment_is_only_for_cross_attention_and_uses_the_best_kind_of_map():
    heads = {name: [[0.9, 0.9]] for name in METHODS}
    heads |= {"weights AWO": [[0.4, 0.6]], "norms AWI": [[0.45, 0.49]]}
    rates = {name: SimpleNamespace(heads=rates_of_heads) for name, rates_of_heads in heads.items()}
    measured = analysis(alignment=SimpleNamespace(pairs=77, rates=rates, halves=None))
    assert kinds_of(measured, "cross", 0, 1) == (MeasuredKind("alignment", 0.49, 77),)
    assert kinds_of(measured, "cross", 0, 0) == (MeasuredKind("alignment", 0.4, 77),)
    assert kinds_of(measured, "encoder_self", 0, 1) == ()
    heads["norms AWI"][0][1] = 0.5
    assert kinds_of(measured, "cross", 0, 1) == ()


def test_relations_are_only_for_the_encoder_and_come_last():
    relation = Relation(offset=1, baseline=0.3, heads=[[0.9, 0.4]], like=[[False, True]])
    none = Relation(offset=1, baseline=0.3, heads=[[0.9, 0.4]], like=[[False, False]])
    measured = analysis(1, 0.8, 0.7, syntax=Syntax(120, Relations(relation, none, none, none)))
    kinds = kinds_of(measured, "encoder_self", 0, 1)
    assert names(kinds) == ["next", "sink", "verb_object"]
    assert kinds[-1] == MeasuredKind("verb_object", 0.4, 120, baseline=0.3)
    assert kinds_of(measured, "encoder_self", 0, 0) == ()
    assert names(kinds_of(measured, "decoder_self", 0, 1)) == ["next", "sink"]


def test_the_head_whose_weights_have_the_smallest_error_is_found():
    first = {"weights AWI": [0.5, 0.4, 0.3], "weights AWO": [0.1, 0.4, 0.3]}
    first |= {"norms AWI": [0.5, 0.1, 0.3]}
    second = [0.6, 0.29, 0.7]
    rates = {name: SimpleNamespace(heads=[row, second]) for name, row in first.items()}
    aligned = analysis(alignment=SimpleNamespace(rates=rates))
    assert best_awi_head(aligned) == (1, 1)
    assert best_awo_head(aligned) == (0, 0)
    for measured in (analysis(), None):
        assert best_awi_head(measured) is None
        assert best_awo_head(measured) is None


@pytest.mark.parametrize(
    ("awi", "awo", "aligns"),
    [
        (0.3, 0.4, True),
        (0.4, 0.4, False),  # as good by the token that a row writes
        (0.4, 0.3, False),
        (0.49, 0.9, True),
        (0.5, 0.9, False),  # too many errors for an aligner
    ],
)
def test_a_head_aligns_by_input_token_if_this_has_the_fewest_errors(awi, awo, aligns):
    rates = {
        "weights AWI": SimpleNamespace(heads=[[0.1, 0.9], [0.9, awi]]),
        "weights AWO": SimpleNamespace(heads=[[0.9, 0.1], [0.1, awo]]),
    }
    measured = analysis(alignment=SimpleNamespace(rates=rates))
    assert aligns_by_input_token(measured, 1, 1) == ((awi, awo) if aligns else None)
    assert aligns_by_input_token(analysis(), 1, 1) is None
    assert aligns_by_input_token(None, 1, 1) is None
