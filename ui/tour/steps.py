"""The tour for newcomers: the page, the highlighted element and the text of each step.

The steps: a sentence; one row; all heads; the head that aligns words; what happens without it, and
why; which map to believe.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from model.heads.analysis_file import heads_to_spare
from model.transformer.heads import all_heads
from ui.frame.compared_maps import compared_maps
from ui.state.address import Address, one_based, spell_heads
from ui.state.models import PageRun
from ui.text.numbers import percent
from ui.text.translator import Translator
from ui.tour.facts import Facts, Known


class Step(NamedTuple):
    """One step of the tour."""

    name: str  # the key of its text is tour.<name>
    page: str  # a key of ui.frame.page.PAGES
    target: str  # a CSS selector of what the spotlight is on, which may be several elements
    view: Mapping[str, object]  # what the page must show, by the fields of Address


_MAPS: Mapping[str, object] = {
    "attention": "cross",
    "layer": Address().layer,
    "view": "mean",
    "rows": "auto",
    "cells": "weights",
    "panel": "map",
}
_FIRST_STEPS = (
    Step("sentence", "welcome", ".st-key-choice-sentence", {}),
    Step("row", "explorer", ".st-key-figure-map .st-key-map", _MAPS),
    Step("heads", "explorer", ".st-key-grid", _MAPS),
)


def steps_with(known: Known | None) -> Sequence[Step]:
    """Return the tour steps for one model, without steps whose measurements are missing."""
    if known is None:
        return _FIRST_STEPS
    # 1. Define the views: the aligner alone, all heads, all heads except the aligner.
    attention, layer, head = known.aligner
    in_layer = {"attention": attention, "layer": layer + 1}
    aligner_alone = {**_MAPS, **in_layer, "head": head + 1, "view": "head"}
    all_heads_on = {**in_layer, "show": "", "mode": "zero", "ablated": ""}
    aligner_off = {**all_heads_on, "ablated": spell_heads([known.aligner])}

    # 2. Return the steps whose measurements exist.
    grid = ".st-key-experiments-grid"
    result = ".stColumn :is(.gloss, .stMetric)"
    steps = [
        *_FIRST_STEPS,
        Step("aligner", "explorer", ".st-key-figure-map .st-key-map", aligner_alone),
        Step("switch", "experiments", grid, all_heads_on),
        Step("result", "experiments", result, aligner_off),
    ]
    if heads_to_spare(known.analysis.pruning):
        steps.append(Step("why", "experiments", grid, aligner_off))
    if known.analysis.faithfulness:
        steps.append(Step("believe", "experiments", ".stDataFrame", {"show": "scoreboard"}))
    return steps


def sentence_of(step: Step, run: PageRun, known: Known | None, facts: Facts, tr: Translator) -> str:
    """Return the text of a step, with numbers of the model and of the page.

    Args:
        step: the step.
        run: what the page shows now; the visitor may have changed it since the step began.
        known: what was measured about the model.
        facts: of the page, see ``ui.tour.facts``; empty if there is nothing to see.
        tr: the visitor's language.
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
    assert known is not None  # otherwise the tour leaves these steps out
    kind, layer, head = known.aligner
    match step.name:
        case "aligner":
            return tr(
                "tour.aligner",
                **one_based(layer, head),
                pairs=known.alignment.pairs,
                rate=percent(known.alignment.rates["weights AWI"].heads[layer][head]),
                by_people=_by_people(known, tr),
            )
        case "switch":
            row = tr(f"experiments.row.{kind}", n=layer + 1)
            return tr("tour.switch", row=row, head=head + 1)
        case "why":
            return _why(known, facts, len(all_heads(config)), tr)
        case "believe":
            return _believe(known, config.n_layers, tr)
    return _result(known, facts, tr)


def _by_people(known: Known, tr: Translator) -> str:
    """Say how well the aligner aligns pairs that people aligned.

    "" if this was not measured, or if another head is best on those pairs.
    """
    human = known.alignment.human
    if human is None:
        return ""
    _, layer, head = known.aligner
    best_head = human.error_rates["weights AWI"]["best head"]
    if {direction["place"] for direction in best_head["both ways"]} != {f"{layer + 1}.{head + 1}"}:
        return ""
    rate = percent(best_head["on the other half"])
    return tr("tour.aligner_people", pairs=human.pairs, rate=rate)


def _row(step: Step, address: Address, facts: Facts, tr: Translator) -> str:
    """Return a sentence about the clearest row, without numbers if the view has changed.

    Args:
        step: the step of the tour, with its view.
        address: the choices of the visitor.
        facts: what was measured in this view, by name.
    """
    for name, value in step.view.items():
        # The layer may differ from that of the step, because the text names the layer.
        if name != "layer" and getattr(address, name) != value:
            return tr("tour.any_row")
    return tr(
        "tour.row",
        layer=address.layer,
        row=facts["row"],
        column=facts["column"],
        percent=facts["percent"],
    )


def _result(known: Known, facts: Facts, tr: Translator) -> str:
    """Say how the translation changes without the aligning head, or that other heads are off."""
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
    """Say whether the translation needs the head, and how many heads the model can spare.

    Args:
        known: what is known about the model.
        facts: what was measured in this view, by name; empty before the measurement.
        n_heads: number of heads of the model.
    """
    spare = heads_to_spare(known.analysis.pruning)
    assert spare is not None
    all_on, some_off = spare
    if not facts or facts["ablated"] != (known.aligner,):
        outcome = "any"
    elif facts["same"]:
        outcome = "same"
    else:
        outcome = "changed"
    return tr(
        f"tour.why.{outcome}",
        heads=n_heads,
        removed=some_off.removed,
        sentences=known.analysis.sentences,
        before=f"{all_on.bleu:.1f}",
        after=f"{some_off.bleu:.1f}",
    )


def _believe(known: Known, n_layers: int, tr: Translator) -> str:
    """Compare how often three maps are right: the aligner's, the table's best, and a random one."""
    faithfulness = known.analysis.faithfulness
    assert faithfulness is not None
    _, layer, head = known.aligner
    maps = faithfulness.masked.maps
    aligner = maps[f"read.{layer + 1}.{head + 1}"]
    in_table = compared_maps(maps, n_layers, (layer, head))
    return tr(
        "tour.believe",
        hit=percent(aligner.hit.value),
        best=percent(max(maps[name].hit.value for name in in_table)),
        chance=percent(maps["random"].hit.value),
    )
