"""A slider with a button that plays it: the browser moves the slider on, step by step.

The same that the space bar does on a projector: ``ui/components/tools/play.js``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import streamlit as st

from ui.frame.controls import slide_along
from ui.text.markup import play_button
from ui.text.translator import Translator

T = TypeVar("T")
PLAYER = "play"  # key of what holds the slider; one on a page
_PACE = 1200  # milliseconds from one step to the next, for who reads along


def slide_and_play(
    label: str, options: Sequence[T], *, key: str, default: T, tr: Translator, **how: Any
) -> T:
    """One of many that have an order, by hand or played; arguments as for ``slide_along``.

    Args:
        label: what is chosen.
        options: at least one.
        key: of the control.
        default: what is chosen at first.
        how: what else ``st.select_slider`` takes.
    """
    with st.container(key=PLAYER, horizontal=True, vertical_alignment="bottom"):
        chosen = slide_along(label, options, key=key, default=default, **how)
        show_play(tr, pace=_PACE)
    at = list(options).index(chosen)
    st.html(f"<style>.st-key-{PLAYER} {{ --at: {at} }}</style>")  # the browser waits for it
    return chosen


def show_play(tr: Translator, *, pace: int) -> None:
    """The button alone, where the slider stands in a chart within the key ``PLAYER``.

    Args:
        pace: milliseconds from one step to the next.
    """
    words = (tr(f"play.{name}") for name in ("play", "pause", "step"))
    st.html(play_button(*words, pace=pace), width="content")
