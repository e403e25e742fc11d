"""Tours: one for newcomers, and a teacher's step-by-step presentation of the gallery."""

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from ui.components.tour import Bubble, show_bubbles
from ui.state.models import PageRun
from ui.state.tour import (
    Stop,
    begin_tour,
    do_not_offer_again,
    go_to,
    leave_tour,
    stop_of,
    was_offered,
)
from ui.state.visitor import visitor
from ui.text.markup import paragraph
from ui.text.translator import Translator
from ui.tour.facts import Facts, measured
from ui.tour.steps import Step, sentence_of, steps_with

_WALK = "gallery"  # name of the presentation; the tour for newcomers is "first"
_BEGIN = ".st-key-tour-begin button"  # CSS selector of the button that begins the tour


def invite(tr: Translator) -> None:
    """Show an invitation to the tour at the first visit (web/app/tools/first_visit.js)."""
    if was_offered():
        return
    with st.container(key="invitation", horizontal=True, vertical_alignment="center"):
        st.html(paragraph(tr("tour.invitation"), kind="gloss"), width="content")
        st.button(tr("tour.take"), key="tour.take", on_click=begin_tour, type="tertiary")
        st.button(
            tr("tour.dismiss"), key="tour.dismiss", on_click=do_not_offer_again, type="tertiary"
        )


def show_tour(page: str, run: PageRun, tr: Translator, facts: Callable[[], Facts] = dict) -> None:
    """Show the visitor's tour step, if it is on this page.

    Args:
        page: a key of ``ui.frame.page.PAGES``.
        run: the page's model and address.
        tr: the visitor's language.
        facts: computes what the page shows now (``ui.tour.facts``); called only during a tour.
    """
    stop = stop_of("first")
    if stop is None or stop.page != page:
        return
    known = measured(run)
    steps = steps_with(known)
    at = min(stop.n, len(steps))
    shown = steps[at - 1]
    if shown.page != page:  # the visitor chose another model, whose tour is shorter
        leave_tour()
        return
    seen = facts()
    # a bubble for this step, and for each step that needs no change of the page
    bubbles = [
        Bubble(
            n=n,
            text=sentence_of(step, run, known, seen, tr),
            target=step.target,
            row=seen.get("row_number") if step.name == "row" else None,  # type: ignore[arg-type]
        )
        for n, step in enumerate(steps, start=1)
        if (step.page, step.view) == (shown.page, shown.view)
    ]
    show_bubbles(
        bubbles,
        name=tr("tour.name"),
        at=at,
        n_steps=len(steps),
        tr=tr,
        begin=_BEGIN,
        go=lambda n: _go(steps[n - 1], n, page),
        leave=leave_tour,
    )


def _go(step: Step, n: int, page: str) -> None:
    """Go to a step. The next run opens its page with the required view.

    Args:
        step: the step to show.
        n: its number.
        page: the page on which the visitor is.
    """
    view = dict(step.view)
    if step.page == page:
        visitor().set(view)
    else:
        address = visitor().address_now()
        visitor().take_along(replace(address, **view))  # type: ignore[arg-type]
    go_to(Stop("first", step.page, n))


def offer_walk(tr: Translator) -> None:
    """Show the button that starts a step-by-step presentation of the gallery."""

    def begin() -> None:
        visitor().set({"show": "one"})
        go_to(Stop(_WALK, "gallery"))

    st.button(tr("tour.walk"), key="tour.walk", on_click=begin)


def show_walk(
    text: str,
    *,
    target: str,
    at: int,
    n_examples: int,
    open_nth: Callable[[int], None],
    tr: Translator,
) -> None:
    """Show the bubble of a gallery presentation beside one example.

    Args:
        text: of the bubble; empty if the example cannot be shown.
        target: the picture that it points at, a CSS selector.
        at: the number of the example, from 1.
        n_examples: the number of examples.
        open_nth: opens the example with a number, from 1.
        tr: the visitor's language.
    """
    if stop_of(_WALK) is None:
        return
    bubbles = [Bubble(n=at, text=text or tr("gallery.not_shown"), target=target)]
    name = tr("tour.gallery")
    show_bubbles(
        bubbles,
        name=name,
        at=at,
        n_steps=n_examples,
        tr=tr,
        begin=_BEGIN,
        go=open_nth,
        leave=leave_tour,
    )


def end_walk() -> None:
    """End a gallery presentation, if there is one: the page no longer shows one example."""
    if stop_of(_WALK) is not None:
        leave_tour()
