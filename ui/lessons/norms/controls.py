"""Controls that several experiments of the lesson share."""

from __future__ import annotations

import streamlit as st

from model.trace.residual_stream import Stack
from ui.frame.controls import slide_along, type_number
from ui.frame.pickers import choose_stack
from ui.text.translator import Translator

DEPTHS = (2, 4, 6, 8, 12, 16, 24)


def choose_untrained(name: str, tr: Translator) -> tuple[int, int, Stack]:
    """Depth, draw and stack of a small model that was never trained."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        stack = choose_stack(f"norms.{name}_stack", tr, default="decoder")
        depth = slide_along(
            tr("norms.depth"), DEPTHS, default=6, key=f"norms.{name}_depth", width="stretch"
        )
        seed = type_number(
            tr("norms.seed"),
            0,
            9999,
            default=0,
            key=f"norms.{name}_seed",
            help=tr("norms.seed_help"),
            width=140,
        )
    return depth, seed, stack
