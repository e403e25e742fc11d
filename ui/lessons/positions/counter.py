"""The position as a binary number, beside the waves that count in the same way."""

from __future__ import annotations

import numpy as np
import streamlit as st

from model.lessons.positions import bits, doubling_pairs, wavelengths
from model.transformer.positional import positional_encoding
from ui.components.matrices import Matrix, show_matrices
from ui.export.figure import figure
from ui.export.provenance import about_page
from ui.frame.controls import choose, slide
from ui.text.translator import Translator

_N_BITS = 6


def show_counter(d_model: int, tr: Translator) -> None:
    """Bits at the left, waves at the right; the quickest stands last, as in a number."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        n = slide(tr("positions.count"), 4, 48, default=17, key="positions.counter_count")
        shown = choose(
            tr("positions.shown"),
            ("value", "sign"),
            default="value",
            key="positions.shown",
            format_func=lambda name: tr(f"positions.shown_{name}"),
        )
    pairs = doubling_pairs(d_model, _N_BITS)[::-1]
    lengths = wavelengths(d_model)[pairs].tolist()
    waves = positional_encoding(n, d_model)[:, [2 * pair for pair in pairs]].numpy()  # the sines
    positions = [str(p) for p in range(n)]
    what = about_page("positions", n=n, d_model=d_model)
    with figure("counter", tr, title=tr("positions.view_counter"), about=what) as drawn:
        show_matrices(
            [
                Matrix(
                    bits(n, _N_BITS).flip(1).numpy(),
                    tr("positions.bits"),
                    row_labels=positions,
                    column_labels=[str(2**bit) for bit in reversed(range(_N_BITS))],
                    scale="weights",
                ),
                Matrix(
                    waves if shown == "value" else np.sign(waves),
                    tr("positions.sines"),
                    row_labels=positions,
                    column_labels=[f"λ {length:.0f}" for length in lengths],
                    limit=1.0,
                ),
            ],
            drawn,
            key="positions.counter",
            operators=[" "],
        )
