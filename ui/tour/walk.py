"""A walk from one prepared thing to the next: the same bubble, for a teacher."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from ui.components.tour import Bubble, show_bubbles
from ui.state.choices import change
from ui.state.tour import Stop, go_to, leave_tour, stop_of
from ui.text.translator import Translator

_WALK = "gallery"


def offer_walk(tr: Translator) -> None:
    """The button that begins it, in the view that shows one thing at a time."""

    def begin() -> None:
        change(show="one")
        go_to(Stop(_WALK, "gallery"))

    st.button(tr("tour.walk"), key="tour.walk", on_click=begin)


def show_walk(
    text: str, *, target: str, at: int, of: int, open_nth: Callable[[int], None], tr: Translator
) -> None:
    """What is said of the thing that is shown now.

    Args:
        text: one sentence or two; empty where it cannot be shown.
        target: the picture, a CSS selector.
        at: which one, from 1.
        of: how many there are.
        open_nth: shows another one, from 1, before the page runs again.
    """
    if stop_of(_WALK) is None:
        return
    show_bubbles(
        [Bubble(n=at, text=text or tr("gallery.not_shown"), target=target)],
        name=tr("tour.gallery"),
        at=at,
        of=of,
        tr=tr,
        go=open_nth,
        leave=leave_tour,
    )


def end_walk() -> None:
    """The page shows something else."""
    if stop_of(_WALK) is not None:
        leave_tour()
