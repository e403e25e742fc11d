"""Table 1 of the paper with the visitor's numbers, and its rows as curves."""

from __future__ import annotations

import numpy as np
import streamlit as st

from model.lessons.cost import LAYER_TYPES, complexities
from ui.charts.lines import lines
from ui.export.figure import figure
from ui.export.provenance import about_page
from ui.frame.controls import slide, slide_along
from ui.frame.picture import show_chart
from ui.server.log import fragment
from ui.text.translator import Translator

LENGTHS = tuple(2**power for power in range(2, 17))
_WIDTHS = tuple(2**power for power in range(4, 13))
_REACHES = tuple(2**power for power in range(2, 11))
_MEASURES = ("work", "steps", "path")


@fragment
def show_table(tr: Translator) -> None:
    """Formulas and numbers for one n, curves for every n."""
    with st.container(horizontal=True):
        n = slide_along(tr("cost.n"), LENGTHS, default=128, key="cost.n", width="stretch")
        d = slide_along(tr("cost.d"), _WIDTHS, default=512, key="cost.d", width="stretch")
        k = slide(tr("cost.k"), 2, 9, default=3, key="cost.k", width="stretch")
        r = slide_along(tr("cost.r"), _REACHES, default=16, key="cost.r", width="stretch")
    table = complexities(n=n, d=d, k=k, r=r)
    rows = [
        tr(
            f"cost.row_{name}",
            work=f"{table[name].work:,}",
            steps=f"{table[name].steps:,}",
            path=f"{table[name].path:,}",
        )
        for name in LAYER_TYPES
    ]
    what = about_page("cost", n=n, d=d, k=k, r=r)
    with figure("table", tr, title=tr("cost.view_table"), about=what) as shown:
        left, right = st.columns([6, 5], gap="large", vertical_alignment="center")
        left.markdown("\n".join([tr("cost.head"), *rows]))
        below = st.columns(2, gap="large")
        everywhere = [complexities(n=length, d=d, k=k, r=r) for length in LENGTHS]
        x = np.array(LENGTHS, dtype=np.float64)
        for place, measure in zip((right, *below), _MEASURES, strict=True):
            curves = {
                tr(f"cost.{name}"): np.array(
                    [getattr(row[name], measure) for row in everywhere], dtype=np.float64
                )
                for name in LAYER_TYPES
            }
            with place:
                st.markdown(tr(f"cost.{measure}_title", d=d))
                show_chart(
                    lines(
                        curves,
                        x,
                        x_title=tr("cost.n_axis"),
                        y_title=tr(f"cost.{measure}"),
                        log_x=True,
                        log_y=True,
                        mark_x=n,
                        ring=(d, d**3) if measure == "work" else None,
                        height=330 if measure == "work" else 250,
                    ),
                    shown,
                    key=f"cost.{measure}",
                )
    st.markdown(tr.section("cost", "table"))
