"""A shift by k positions: every hand turns by its own angle, the same from wherever it stood."""

from __future__ import annotations

import streamlit as st

from model.lessons.positions import doubling_pairs, rotation, rotation_error, wavelengths
from model.transformer.positional import frequencies, positional_encoding
from ui.charts.dials import dials
from ui.components.matrices import Matrix, show_matrices
from ui.export.figure import figure
from ui.export.provenance import about_page
from ui.frame.controls import slide
from ui.frame.picture import show_chart
from ui.text.numbers import signed
from ui.text.translator import Translator

_N_DIALS = 8
_SUBSCRIPT = str.maketrans("-0123456789", "₋₀₁₂₃₄₅₆₇₈₉")


def show_rotation(d_model: int, max_length: int, tr: Translator) -> None:
    """Dials of chosen waves, their part of M_k, and the check over all dimensions."""
    with st.container(horizontal=True):
        p = slide(tr("positions.p"), 0, 100, default=3, key="positions.from")
        k = slide(tr("positions.k"), -50, 50, default=5, key="positions.k")
    pairs = doubling_pairs(d_model, _N_DIALS)
    w = frequencies(d_model)[pairs].numpy()
    lengths = wavelengths(d_model)[pairs].tolist()
    what = about_page("positions", p=p, k=k, d_model=d_model)
    with figure("rotation", tr, title=tr("positions.view_rotation"), about=what) as drawn:
        show_chart(
            dials(
                p * w,
                (p + k) * w,
                labels=[f"λ {length:,.0f}" for length in lengths],
                before_title=tr("positions.hand", p=p),
                after_title=tr("positions.hand", p=p + k),
                dial_title=tr("positions.wave"),
            ),
            drawn,
            key="positions.dials",
        )
        st.markdown(
            tr(
                "positions.rotation_error",
                k=k,
                shift=signed(k, "+d"),
                last=max_length - 1,
                d_model=d_model,
                error=f"{rotation_error(k, d_model, max_length):.0e}",
            )
        )
        shown = [dimension for pair in pairs for dimension in (2 * pair, 2 * pair + 1)]
        m_k = rotation(k, d_model)[shown][:, shown]  # (16, 16)
        before, after = (positional_encoding(1, d_model, first=at)[0, shown] for at in (p, p + k))
        names = [str(dimension) for dimension in shown]
        show_matrices(
            [
                Matrix(
                    m_k.numpy(),
                    "M" + str(k).translate(_SUBSCRIPT),
                    row_labels=names,
                    column_labels=names,
                    limit=1.0,
                ),
                Matrix(before[:, None].numpy(), f"PE({p})", limit=1.0),
                Matrix(after[:, None].numpy(), f"PE({p + k})", limit=1.0),
            ],
            drawn,
            key="positions.m_k",
            operators=["·", "="],
            links=["i:", ":j"],
        )
    st.caption(tr("positions.blocks", n=len(shown), d_model=d_model))
