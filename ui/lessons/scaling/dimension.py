"""Vectors that grow: what their length does to the scores, the softmax and its gradient."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import streamlit as st

from model.lessons.scaling import dot_products, draw_vectors, sweep
from ui.charts.columns import columns
from ui.charts.lines import lines
from ui.export.figure import figure
from ui.export.provenance import about_page
from ui.frame.controls import slide_along, type_number
from ui.frame.picture import show_chart
from ui.server.log import fragment
from ui.state.memory import remember
from ui.text.translator import Translator

D_KS = tuple(2**n for n in range(11))
_N_DRAWS, _N_KEYS = 200, 16
_MEASURES = ("variance", "entropy", "gradient")

Curves = dict[str, npt.NDArray[np.float32]]


@fragment
def show_dimension(tr: Translator) -> None:
    """Choose d_k and see it in one softmax, and in the means over many."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        d_k = slide_along(tr("scaling.d_k"), D_KS, default=64, key="scaling.d_k", width="stretch")
        seed = type_number(
            tr("scaling.seed"),
            1,
            9999,
            default=1,
            key="scaling.seed",
            help=tr("scaling.seed_help"),
            width=140,
        )
    names = {False: tr("scaling.plain"), True: tr("scaling.divided")}
    measured = {divide: _sweep(seed, divide) for divide in names}
    what = about_page("scaling", d_k=d_k, seed=seed, keys=_N_KEYS, draws=_N_DRAWS)
    with figure("dimension", tr, title=tr("scaling.view_dimension"), about=what) as shown:
        for column, measure in zip(st.columns(3, gap="medium"), _MEASURES, strict=True):
            plain, divided = (float(measured[divide][measure][D_KS.index(d_k)]) for divide in names)
            with column:
                st.markdown(
                    tr(f"scaling.{measure}_now", plain=_short(plain), divided=_short(divided))
                )
                show_chart(
                    lines(
                        {names[divide]: measured[divide][measure] for divide in names},
                        np.array(D_KS),
                        x_title=tr("scaling.d_k_axis"),
                        y_title=tr(f"scaling.{measure}"),
                        log_x=True,
                        log_y=measure == "variance",
                        points=True,
                        mark_x=d_k,
                        height=270,
                    ),
                    shown,
                    key=f"scaling.{measure}",
                )
        st.markdown(tr("scaling.row", d_k=d_k, keys=_N_KEYS))
        show_chart(
            columns(
                {names[divide]: _one_row(seed, d_k, divide) for divide in names},
                labels=[f"k{n}" for n in range(1, _N_KEYS + 1)],
                label_title=tr("scaling.key"),
                value_title=tr("scaling.weight"),
                height=260,
            ),
            shown,
            key="scaling.row",
        )
    st.caption(tr("scaling.drawn", draws=_N_DRAWS, keys=_N_KEYS))


def _short(value: float) -> str:
    return f"{value:,.2f}" if value >= 0.01 else f"{value:.1g}"


def _sweep(seed: int, divide: bool) -> Curves:
    def measured() -> Curves:
        q, k = draw_vectors(seed, n_draws=_N_DRAWS, n_keys=_N_KEYS, d_k=D_KS[-1])
        result = sweep(q, k, D_KS, divide=divide)
        return {measure: getattr(result, measure).numpy() for measure in _MEASURES}

    return remember("dimensions", (seed, divide), measured)


def _one_row(seed: int, d_k: int, divide: bool) -> npt.NDArray[np.float32]:
    """The softmax of one draw."""
    q, k = draw_vectors(seed, n_draws=1, n_keys=_N_KEYS, d_k=D_KS[-1])
    scores = dot_products(q, k, d_k, divide=divide)[0]  # (S,)
    row: npt.NDArray[np.float32] = scores.softmax(dim=-1).numpy()
    return row
