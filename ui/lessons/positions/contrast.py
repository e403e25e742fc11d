"""Other ways to tell a model where a token stands."""

from __future__ import annotations

import streamlit as st

from ui.text.translator import Translator


def show_contrast(max_length: int, d_model: int, tr: Translator) -> None:
    """Learned positions and RoPE in words, with the numbers of the loaded model."""
    waves, learned, rope = st.columns(3, gap="large")
    waves.markdown(tr.section("positions", "contrast waves"))
    learned.markdown(tr.section("positions", "contrast learned"))
    rope.markdown(tr.section("positions", "contrast RoPE"))
    learned.markdown(
        tr(
            "positions.table",
            n=max_length,
            d_model=d_model,
            parameters=f"{max_length * d_model:,}",
        )
    )
