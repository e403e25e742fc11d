"""What depends on the distance of two positions only: how alike they are, and the way between."""

import numpy as np
import streamlit as st
import torch

from model.lessons import positions
from model.transformer.positional import frequencies, positional_encoding
from ui.charts.dials import dials
from ui.charts.lines import lines
from ui.components.matrices import Matrix, show_matrices
from ui.export.figure import about_page, figure
from ui.export.tables import Labels
from ui.frame.controls import slide
from ui.frame.picture import show_chart
from ui.text.numbers import signed
from ui.text.translator import Translator

_N, _KEY = 40, "positions.p"
_N_DIALS = 8
_SUBSCRIPT = str.maketrans("-0123456789", "₋₀₁₂₃₄₅₆₇₈₉")


def show_distance(d_model: int, tr: Translator) -> None:
    """PE · PEᵀ, and one of its rows as a curve over the distance."""
    p = slide(tr("positions.p"), 0, _N - 1, default=20, key=_KEY)
    table = positions.similarity(_N, d_model).numpy()  # (_N, _N)
    names = [str(position) for position in range(_N)]
    matrix = Matrix(table, tr("positions.similarity"), f"({_N}, {_N})", Labels(names))
    offsets = np.arange(1.0 - _N, _N)
    row = np.full(offsets.shape, np.nan)
    row[_N - 1 - p : 2 * _N - 1 - p] = table[p]
    formula = positions.similarity_at(torch.tensor(offsets), d_model).numpy()
    error = f"{np.nanmax(np.abs(row - formula)):.0e}"
    chart = lines(
        {tr("positions.formula"): formula, tr("positions.row", p=p): row},
        offsets,
        x_title=tr("positions.offset"),
        y_title=tr("positions.dot"),
        mark_x=0,
        height=400,
    )
    what = about_page("positions", n=_N, p=p, d_model=d_model)
    with figure("distance", tr, title=tr("positions.view_distance"), about=what) as fig:
        picture, curve = st.columns(2, gap="large")
        with picture:
            show_matrices(
                [matrix],
                fig,
                key="positions.similarity",
                picked=(0, p, p),
                on_pick=lambda _, row, __: st.session_state.update({_KEY: row}),
            )
            st.caption(tr("positions.pick"))
        with curve:
            show_chart(chart, fig, key="positions.row")
            st.caption(tr("positions.row_error", error=error))
    st.markdown(tr.section("positions", "distance"))


def show_rotation(d_model: int, max_length: int, tr: Translator) -> None:
    """A shift by k: dials of chosen waves, their part of M_k, the check over all dimensions."""
    with st.container(horizontal=True):
        p = slide(tr("positions.p"), 0, 100, default=3, key="positions.from")
        k = slide(tr("positions.k"), -50, 50, default=5, key="positions.k")
    pairs = positions.doubling_pairs(d_model, _N_DIALS)
    w = frequencies(d_model)[pairs].numpy()
    chart = dials(
        p * w,
        (p + k) * w,
        labels=[f"λ {length:,.0f}" for length in positions.wavelengths(d_model)[pairs].tolist()],
        before_title=tr("positions.hand", p=p),
        after_title=tr("positions.hand", p=p + k),
        dial_title=tr("positions.wave"),
    )
    checked = tr(
        "positions.rotation_error",
        k=k,
        shift=signed(k, "+d"),
        last=max_length - 1,
        d_model=d_model,
        error=f"{positions.rotation_error(k, d_model, max_length):.0e}",
    )
    seen = [dimension for pair in pairs for dimension in (2 * pair, 2 * pair + 1)]
    names = [str(dimension) for dimension in seen]
    m_k = positions.rotation(k, d_model)[seen][:, seen].numpy()  # (16, 16)
    title = "M" + str(k).translate(_SUBSCRIPT)
    matrices = [Matrix(m_k, title, labels=Labels(names, names), limit=1.0)]
    for at in (p, p + k):
        position = positional_encoding(1, d_model, first=at)[0, seen]  # (16,)
        matrices.append(Matrix(position[:, None].numpy(), f"PE({at})", limit=1.0))
    what = about_page("positions", p=p, k=k, d_model=d_model)
    with figure("rotation", tr, title=tr("positions.view_rotation"), about=what) as fig:
        show_chart(chart, fig, key="positions.dials")
        st.markdown(checked)
        signs = ["·", "="]
        show_matrices(matrices, fig, key="positions.m_k", operators=signs, links=["i:", ":j"])
    st.caption(tr("positions.blocks", n=len(seen), d_model=d_model))
    st.markdown(tr.section("positions", "rotation"))
