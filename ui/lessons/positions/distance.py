"""How alike two positions are: a question of their distance only."""

from __future__ import annotations

import numpy as np
import streamlit as st
import torch

from model.lessons.positions import similarity, similarity_at
from ui.charts.lines import lines
from ui.components.matrices import Matrix, show_matrices
from ui.export.figure import figure
from ui.export.provenance import about_page
from ui.frame.controls import slide
from ui.frame.picture import show_chart
from ui.text.translator import Translator

_N, _KEY = 40, "positions.p"


def show_distance(d_model: int, tr: Translator) -> None:
    """PE · PEᵀ, and one of its rows as a curve over the distance."""
    p = slide(tr("positions.p"), 0, _N - 1, default=20, key=_KEY)
    table = similarity(_N, d_model).numpy()  # (_N, _N)
    what = about_page("positions", n=_N, p=p, d_model=d_model)
    with figure("distance", tr, title=tr("positions.view_distance"), about=what) as shown:
        picture, curve = st.columns(2, gap="large")
        names = [str(position) for position in range(_N)]
        with picture:
            show_matrices(
                [
                    Matrix(
                        table,
                        tr("positions.similarity"),
                        f"({_N}, {_N})",
                        row_labels=names,
                    )
                ],
                shown,
                key="positions.similarity",
                picked=(0, p, p),
                on_pick=_pick_row,
            )
            st.caption(tr("positions.pick"))
        offsets = np.arange(1.0 - _N, _N)
        row = np.full(offsets.shape, np.nan)
        row[_N - 1 - p : 2 * _N - 1 - p] = table[p]
        formula = similarity_at(torch.tensor(offsets), d_model).numpy()
        with curve:
            show_chart(
                lines(
                    {tr("positions.formula"): formula, tr("positions.row", p=p): row},
                    offsets,
                    x_title=tr("positions.offset"),
                    y_title=tr("positions.dot"),
                    mark_x=0,
                    height=400,
                ),
                shown,
                key="positions.row",
            )
            error = np.nanmax(np.abs(row - formula))
            st.caption(tr("positions.row_error", error=f"{error:.0e}"))


def _pick_row(matrix: int, row: int, column: int) -> None:  # noqa: ARG001 - only one matrix
    st.session_state[_KEY] = row
