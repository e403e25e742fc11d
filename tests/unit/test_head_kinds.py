"""What a head is called for, from numbers made up for it."""

from __future__ import annotations

from typing import Any

import pytest

from model.head_kinds.kinds import Found, kinds_of
from model.trace.transformer import KINDS


def analysis(offset: int = 4, share: float = 0.2, sink: float = 0.1) -> dict[str, Any]:
    """One layer of two heads; the second has these statistics."""
    dull = {"offset": 0, "offset_share": 0.5, "sink_mass": 0.5}
    head = {"offset": offset, "offset_share": share, "sink_mass": sink}
    statistics = {kind: [[dull, head]] for kind in KINDS}
    return {"sentences": 500, "statistics": statistics, "alignment": None}


def names(found: tuple[Found, ...]) -> list[str]:
    return [one.kind for one in found]


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
def test_a_place_in_more_than_half_of_the_rows(offset, itself, across):
    measured = analysis(offset, 0.51)
    assert kinds_of(measured, "encoder_self", 0, 1) == (Found(itself, 0.51, 500, offset=offset),)
    assert names(kinds_of(measured, "decoder_self", 0, 1)) == [itself]
    assert names(kinds_of(measured, "cross", 0, 1)) == [across]
    assert kinds_of(analysis(offset, 0.5), "encoder_self", 0, 1) == ()


def test_half_is_not_more_than_half():
    assert kinds_of(analysis(), "encoder_self", 0, 0) == ()
    assert kinds_of(analysis(sink=0.5), "cross", 0, 1) == ()
    assert kinds_of(analysis(sink=0.51), "cross", 0, 1) == (Found("sink", 0.51, 500),)


def test_alignment_is_the_best_of_the_readings_and_of_cross_attention_alone():
    rates = {"weights AWO": [[0.4, 0.6]], "norms AWI": [[0.45, 0.49]]}
    alignment = {"pairs": 77, "rates": {name: {"heads": of} for name, of in rates.items()}}
    measured = analysis() | {"alignment": alignment}
    assert kinds_of(measured, "cross", 0, 1) == (Found("alignment", 0.49, 77),)
    assert kinds_of(measured, "cross", 0, 0) == (Found("alignment", 0.4, 77),)
    assert kinds_of(measured, "encoder_self", 0, 1) == ()
    rates["norms AWI"][0][1] = 0.5
    assert kinds_of(measured, "cross", 0, 1) == ()


def test_relations_are_of_the_encoder_and_come_last():
    relation = {"baseline": 0.3, "heads": [[0.9, 0.4]], "like": [[False, True]]}
    none = relation | {"like": [[False, False]]}
    relations = dict.fromkeys(("object_verb", "verb_subject", "subject_verb"), none)
    syntax = {"sentences": 120, "relations": {"verb_object": relation, **relations}}
    measured = analysis(1, 0.8, 0.7) | {"syntax": syntax}
    found = kinds_of(measured, "encoder_self", 0, 1)
    assert names(found) == ["next", "sink", "verb_object"]
    assert found[-1] == Found("verb_object", 0.4, 120, baseline=0.3)
    assert kinds_of(measured, "encoder_self", 0, 0) == ()
    assert names(kinds_of(measured, "decoder_self", 0, 1)) == ["next", "sink"]
