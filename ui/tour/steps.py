"""The tour for newcomers as data: where each step is, what is seen there, what it points at.

A sentence, one row, the heads, the one that aligns; it is switched off, and nothing happens: why?
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from model.transformer.heads import Head
from ui.state.address import Address, counted, spell_heads


@dataclass(frozen=True, kw_only=True)
class Step:
    """One thing to see.

    Args:
        name: of its text, ``tour.<name>``.
        page: a key of ``ui.frame.page.PAGES``.
        target: what the spotlight is on, a CSS selector; of several parts, all of them.
        view: what the page shall show, by the fields of ``Address``.
    """

    name: str
    page: str
    target: str
    view: Mapping[str, object]


_MAPS: Mapping[str, object] = {
    "attention": "cross",
    "layer": Address().layer,
    "view": "mean",
    "rows": "written",
    "cells": "weights",
    "panel": "map",
}
_BEGINNING = (
    Step(name="sentence", page="welcome", target=".st-key-choice-sentence", view={}),
    Step(name="row", page="explorer", target=".st-key-figure-map .st-key-map", view=_MAPS),
    Step(name="heads", page="explorer", target=".st-key-grid", view=_MAPS),
)


def steps_with(aligner: Head | None, *, spare: bool) -> Sequence[Step]:
    """The steps for one model: what was not measured is left out.

    Args:
        aligner: the head that aligns best.
        spare: whether it was measured how many heads can be removed.
    """
    if aligner is None:
        return _BEGINNING
    kind, layer, head = aligner
    place = counted(layer, head)
    of_layer = {"attention": kind, "layer": place["layer"]}
    whole = {**of_layer, "show": "", "mode": "zero", "ablated": ""}
    without = {**whole, "ablated": spell_heads([aligner])}
    one = {**_MAPS, **of_layer, **place, "view": "head", "rows": "read"}
    grid, result = ".st-key-experiments-grid", ".stColumn :is(.gloss, .stMetric)"
    measured = [
        Step(name="aligner", page="explorer", target=".st-key-figure-map .st-key-map", view=one),
        Step(name="switch", page="experiments", target=grid, view=whole),
        Step(name="result", page="experiments", target=result, view=without),
        Step(name="why", page="experiments", target=grid, view=without),
    ]
    return (*_BEGINNING, *(measured if spare else measured[:-1]))
