"""What each step says: its numbers are the model's and the page's own."""

from __future__ import annotations

from collections.abc import Mapping

from model.transformer.heads import all_heads
from ui.state.address import Address, counted
from ui.state.models import PageRun
from ui.text.translator import Translator
from ui.tour.measured import Measured
from ui.tour.steps import Step


def sentence_of(
    step: Step, run: PageRun, known: Measured, facts: Mapping[str, object], tr: Translator
) -> str:
    """One sentence or two.

    Args:
        step: which one.
        run: what the page shows now, maybe not what the step began with.
        known: what was measured of the model.
        facts: of the page, see ``ui.tour.facts``; empty where there is nothing to see.
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
        case "why":
            return _why(known, facts, len(all_heads(config)), tr)
    assert known.aligner is not None  # or the tour has none of these steps
    kind, layer, head = known.aligner
    match step.name:
        case "aligner":
            rate = f"{100 * known.rate:.0f}"
            return tr("tour.aligner", **counted(layer, head), pairs=known.pairs, rate=rate)
        case "switch":
            row = tr(f"experiments.row.{kind}", n=layer + 1)
            return tr("tour.switch", row=row, head=head + 1)
    return _result(known, facts, tr)


def _row(step: Step, address: Address, facts: Mapping[str, object], tr: Translator) -> str:
    if any(getattr(address, name) != value for name, value in _named(step).items()):
        return tr("tour.any_row")
    said = {name: facts[name] for name in ("row", "column", "percent")}
    return tr("tour.row", layer=address.layer, **said)


def _named(step: Step) -> Mapping[str, object]:
    """What the sentence says of the view; the layer is said as it is."""
    return {name: value for name, value in step.view.items() if name != "layer"}


def _result(known: Measured, facts: Mapping[str, object], tr: Translator) -> str:
    if not facts:
        return tr("tour.result.none")
    if facts["ablated"] != (known.aligner,):
        return tr("tour.result.others")
    outcome = "same" if facts["same"] else "changed"
    return tr(f"tour.result.{outcome}", change=facts["change"])


def _why(known: Measured, facts: Mapping[str, object], n_heads: int, tr: Translator) -> str:
    assert known.spare is not None
    alone = facts and facts["ablated"] == (known.aligner,)
    outcome = "any" if not alone else "same" if facts["same"] else "changed"
    return tr(
        f"tour.why.{outcome}",
        heads=n_heads,
        removed=known.spare.removed,
        sentences=known.sentences,
        before=f"{known.spare.before:.1f}",
        after=f"{known.spare.after:.1f}",
    )
