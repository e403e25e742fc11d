"""Single columns of the matrix, as waves over the positions; one position moves along them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import streamlit as st
import torch

from model.lessons.positions import doubling_pairs, wave, wavelengths
from ui.charts.lines import lines
from ui.export.figure import figure
from ui.export.provenance import about_page
from ui.frame.controls import pick_some, slide
from ui.frame.picture import show_chart
from ui.frame.playing import PLAYER, show_play
from ui.text.markup import alert
from ui.text.translator import Translator

_MOST = 6  # waves at once
_PACE = 150  # milliseconds from one position to the next
_STEP = 0.25  # positions: the shortest wave, of 6.28, would be jagged with whole ones


def show_waves(d_model: int, tr: Translator) -> None:
    """Chosen dimensions over position, and the wavelengths of all."""
    lengths = wavelengths(d_model).tolist()

    def name(dimension: int) -> str:
        return tr(
            f"positions.{('sine', 'cosine')[dimension % 2]}",
            dimension=dimension,
            wavelength=f"{lengths[dimension // 2]:,.1f}",
        )

    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = pick_some(
            tr("positions.dimensions"),
            range(d_model),
            default=[2 * pair for pair in doubling_pairs(d_model, 7)[::2]],
            max_selections=_MOST,
            key="positions.dimensions",
            format_func=name,
            width="stretch",
        )
        n = slide(tr("positions.count"), 8, 256, default=100, key="positions.wave_count", width=260)
        if chosen:
            show_play(tr, pace=_PACE)
    if not chosen:
        st.html(alert(tr("positions.no_dimension")))
        return
    positions = torch.arange(0, n - 1 + _STEP / 2, _STEP, dtype=torch.float64)
    what = about_page("positions", n=n, d_model=d_model, dimensions=chosen)
    title = tr("positions.view_waves")
    with st.container(key=PLAYER), figure("waves", tr, title=title, about=what) as shown:
        show_chart(
            lines(
                {name(d): wave(positions, d, d_model).numpy() for d in chosen},
                positions.numpy(),
                x_title=tr("positions.position"),
                y_title=tr("positions.value"),
                slider=tr("positions.position"),
                height=380,
            ),
            shown,
            key="positions.waves",
        )
    st.caption(tr("positions.between"))
    _show_wavelengths(lengths, tr)


def _show_wavelengths(lengths: Sequence[float], tr: Translator) -> None:
    st.markdown(
        tr(
            "positions.wavelengths",
            n=len(lengths),
            longest=f"{lengths[-1]:,.0f}",
            factor=f"{lengths[-1] / (2 * math.pi):,.0f}",
        )
    )
    title, what = tr("positions.wavelength"), about_page("positions", d_model=2 * len(lengths))
    with figure("wavelengths", tr, title=title, about=what) as shown:
        show_chart(
            lines(
                {tr("positions.wavelength"): np.array(lengths)},
                np.arange(float(len(lengths))),
                x_title=tr("positions.wave"),
                y_title=tr("positions.wavelength"),
                log_y=True,
                height=240,
            ),
            shown,
            key="positions.wavelengths",
        )
