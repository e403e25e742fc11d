"""The tour for newcomers as data: where each step is, what it points at, and what it says.

A sentence, one row, the heads, the one that aligns; it is switched off, and nothing happens: why?
And which picture can be believed?
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from model.heads.analysis_file import heads_to_spare
from model.transformer.heads import all_heads
from ui.state.address import Address, one_based, spell_heads
from ui.state.models import PageRun
from ui.text.numbers import percent
from ui.text.translator import Translator
from ui.tour.facts import Facts, Known


class Step(NamedTuple):
    """One thing to see."""

    name: str  # of its text, tour.<name>
    page: str  # a key of ui.frame.page.PAGES
    target: str  # what the spotlight is on, a CSS selector; of several parts, all of them
    view: Mapping[str, object]  # what the page shall show, by the fields of Address


_MAPS: Mapping[str, object] = {
    "attention": "cross",
    "layer": Address().layer,
    "view": "mean",
    "rows": "auto",
    "cells": "weights",
    "panel": "map",
}
_BEGINNING = (
    Step("sentence", "welcome", ".st-key-choice-sentence", {}),
    Step("row", "explorer", ".st-key-figure-map .st-key-map", _MAPS),
    Step("heads", "explorer", ".st-key-grid", _MAPS),
)


def steps_with(known: Known | None) -> Sequence[Step]:
    """The steps for one model: fewer where less was measured."""
    if known is None:
        return _BEGINNING
    kind, layer, head = known.aligner
    place = one_based(layer, head)
    of_layer = {"attention": kind, "layer": place["layer"]}
    whole = {**of_layer, "show": "", "mode": "zero", "ablated": ""}
    without = {**whole, "ablated": spell_heads([known.aligner])}
    one = {**_MAPS, **of_layer, **place, "view": "head"}
    grid, result = ".st-key-experiments-grid", ".stColumn :is(.gloss, .stMetric)"
    measured = [
        Step("aligner", "explorer", ".st-key-figure-map .st-key-map", one),
        Step("switch", "experiments", grid, whole),
        Step("result", "experiments", result, without),
    ]
    if heads_to_spare(known.analysis.pruning):
        measured.append(Step("why", "experiments", grid, without))
    if known.analysis.faithfulness:
        measured.append(Step("believe", "experiments", ".stDataFrame", {"show": "scoreboard"}))
    return (*_BEGINNING, *measured)


def sentence_of(step: Step, run: PageRun, known: Known | None, facts: Facts, tr: Translator) -> str:
    """One sentence or two; their numbers are the model's and the page's own.

    ``run`` is what the page shows now, maybe not what the step began with; ``facts`` are those of
    the page, see ``ui.tour.facts``, empty where there is nothing to see.
    """
    config = run.config
    if config is None or (step.page == "explorer" and not facts):
        return tr("tour.nothing")
    match step.name:
        case "sentence":
            return tr("tour.sentence")
        case "row":
            return _row(step, run.address, facts, tr)
        case "heads":
            return tr("tour.heads", layers=config.n_layers, heads=config.n_heads)
    assert known is not None  # or the tour has none of these steps
    kind, layer, head = known.aligner
    match step.name:
        case "aligner":
            rate = percent(known.alignment.rates["weights AWI"].heads[layer][head])
            pairs = known.alignment.pairs
            return tr("tour.aligner", **one_based(layer, head), pairs=pairs, rate=rate)
        case "switch":
            row = tr(f"experiments.row.{kind}", n=layer + 1)
            return tr("tour.switch", row=row, head=head + 1)
        case "why":
            return _why(known, facts, len(all_heads(config)), tr)
        case "believe":
            return _believe(known, tr)
    return _result(known, facts, tr)


def _row(step: Step, address: Address, facts: Facts, tr: Translator) -> str:
    named = {name: value for name, value in step.view.items() if name != "layer"}  # said as it is
    if any(getattr(address, name) != value for name, value in named.items()):
        return tr("tour.any_row")
    said = {name: facts[name] for name in ("row", "column", "percent")}
    return tr("tour.row", layer=address.layer, **said)


def _result(known: Known, facts: Facts, tr: Translator) -> str:
    if not facts:
        return tr("tour.result.none")
    if facts["ablated"] != (known.aligner,):
        return tr("tour.result.others")
    if facts["same"]:
        return tr("tour.result.same", change=facts["change"])
    if facts["lost"]:
        return tr("tour.result.lost", times=facts["times"])
    return tr("tour.result.gained", times=facts["times"])


def _why(known: Known, facts: Facts, n_heads: int, tr: Translator) -> str:
    spare = heads_to_spare(known.analysis.pruning)
    assert spare is not None
    whole, spared = spare
    alone = facts and facts["ablated"] == (known.aligner,)
    outcome = "any" if not alone else "same" if facts["same"] else "changed"
    return tr(
        f"tour.why.{outcome}",
        heads=n_heads,
        removed=spared.removed,
        sentences=known.analysis.sentences,
        before=f"{whole.bleu:.1f}",
        after=f"{spared.bleu:.1f}",
    )


def _believe(known: Known, tr: Translator) -> str:
    faithfulness = known.analysis.faithfulness
    assert faithfulness is not None
    _, layer, head = known.aligner
    maps = faithfulness.masked.maps
    own, best = maps[f"read.{layer + 1}.{head + 1}"], max(one.hit.value for one in maps.values())
    hits = own.hit.value, best, maps["random"].hit.value
    shares = dict(zip(("hit", "best", "chance"), map(percent, hits), strict=True))
    return tr("tour.believe", **shares, n=faithfulness.sentences)
