"""The tour for newcomers on the page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import streamlit as st

from ui.components.tour import Bubble, show_bubbles
from ui.state.choices import change, go_on_with, looked_at
from ui.state.models import PageRun
from ui.state.tour import Stop, begin_tour, dismiss, dismissed, go_to, leave_tour, stop_of
from ui.text.markup import paragraph
from ui.text.translator import Translator
from ui.tour.measured import Measured, measured
from ui.tour.steps import Step, steps_with
from ui.tour.words import sentence_of

Facts = Mapping[str, object]


def invite(tr: Translator) -> None:
    """One line; a browser shows it at its first visit alone (ui/components/tools/visit.js)."""
    if dismissed():
        return
    with st.container(key="invitation", horizontal=True, vertical_alignment="center"):
        st.html(paragraph(tr("tour.invitation"), kind="gloss"), width="content")
        st.button(tr("tour.take"), key="tour.take", on_click=begin_tour, type="tertiary")
        st.button(tr("tour.dismiss"), key="tour.dismiss", on_click=dismiss, type="tertiary")


def show_tour(page: str, run: PageRun, tr: Translator, facts: Callable[[], Facts] = dict) -> None:
    """The step that the visitor is at, if it is on this page.

    Args:
        page: a key of ``ui.frame.page.PAGES``.
        run: what is looked at.
        facts: what the page shows now, see ``ui.tour.facts``; not asked where there is no tour.
    """
    stop = stop_of("first")
    if stop is None or stop.page != page:
        return
    known = measured(run)
    steps = steps_with(known.aligner, spare=known.spare is not None)
    at = min(stop.n, len(steps))
    if steps[at - 1].page != page:  # another model, whose tour is shorter
        leave_tour()
        return
    show_bubbles(
        _bubbles(steps, at, run, known, facts(), tr),
        name=tr("tour.name"),
        at=at,
        of=len(steps),
        tr=tr,
        go=lambda n: _go(steps[n - 1], n, page),
        leave=leave_tour,
    )


def _bubbles(
    steps: Sequence[Step],
    at: int,
    run: PageRun,
    known: Measured,
    facts: Facts,
    tr: Translator,
) -> list[Bubble]:
    """The steps around this one that need no other page and no other view."""
    here = steps[at - 1]
    return [
        Bubble(
            n=n,
            text=sentence_of(step, run, known, facts, tr),
            target=step.target,
            cells=facts.get("cells") if step.name == "row" else None,  # type: ignore[arg-type]
        )
        for n, step in enumerate(steps, start=1)
        if (step.page, step.view) == (here.page, here.view)
    ]


def _go(step: Step, n: int, page: str) -> None:
    """Set what the step shows, and let the next run bring the visitor there."""
    view = dict(step.view)
    if step.page == page:
        change(**view)
    else:
        go_on_with(replace(looked_at(), **view))  # type: ignore[arg-type]
    go_to(Stop("first", step.page, n))
