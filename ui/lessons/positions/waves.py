"""Columns of the matrix as waves: over the positions, in space, and as a counter."""

import math
from collections.abc import Sequence

import numpy as np
import streamlit as st
import torch

from model.lessons.positions import bits, doubling_pairs, wave, wavelengths
from model.transformer.positional import positional_encoding
from ui.charts.lines import lines
from ui.charts.scenes import helix
from ui.components.matrices import Matrix, show_matrices
from ui.export.figure import about_page, figure
from ui.export.tables import Labels, Table
from ui.frame.controls import PLAYER, choose, pick_some, show_play, slide
from ui.frame.pickers import choose_named
from ui.frame.picture import show_chart, show_scene
from ui.text.markup import alert
from ui.text.translator import Translator

_MOST = 6  # waves at once
_PACE = 150  # milliseconds from one position to the next
_STEP = 0.25  # positions: the shortest wave, of 6.28, would be jagged with whole ones
_HELICES = 6  # to choose from
_N_BITS = 6


def show_waves(d_model: int, tr: Translator) -> None:
    """Chosen dimensions over position, one of which moves along them; the wavelengths of all."""
    lengths = wavelengths(d_model).tolist()

    def name(dimension: int) -> str:
        kind, wavelength = ("sine", "cosine")[dimension % 2], f"{lengths[dimension // 2]:,.1f}"
        return tr(f"positions.{kind}", dimension=dimension, wavelength=wavelength)

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
    chart = lines(
        {name(d): wave(positions, d, d_model).numpy() for d in chosen},
        positions.numpy(),
        x_title=tr("positions.position"),
        y_title=tr("positions.value"),
        slider=tr("positions.position"),
        height=380,
    )
    what = about_page("positions", n=n, d_model=d_model, dimensions=chosen)
    title = tr("positions.view_waves")
    with st.container(key=PLAYER), figure("waves", tr, title=title, about=what) as fig:
        show_chart(chart, fig, key="positions.waves")
    st.caption(tr("positions.between"))
    _show_wavelengths(lengths, tr)


def _show_wavelengths(lengths: Sequence[float], tr: Translator) -> None:
    n, last = len(lengths), lengths[-1]
    factor = f"{last / (2 * math.pi):,.0f}"
    st.markdown(tr("positions.wavelengths", n=n, longest=f"{last:,.0f}", factor=factor))
    title, what = tr("positions.wavelength"), about_page("positions", d_model=2 * n)
    chart = lines(
        {title: np.array(lengths)},
        np.arange(float(n)),
        x_title=tr("positions.wave"),
        y_title=title,
        log_y=True,
        height=240,
    )
    with figure("wavelengths", tr, title=title, about=what) as fig:
        show_chart(chart, fig, key="positions.wavelengths")


def show_helix(d_model: int, tr: Translator) -> None:
    """One wave in space: two columns of the matrix that belong together, over the positions."""
    pairs, lengths = doubling_pairs(d_model, _HELICES), wavelengths(d_model).tolist()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        pair = choose(
            tr("positions.helix_wave"),
            pairs,
            default=pairs[min(2, len(pairs) - 1)],
            key="positions.helix_wave",
            format_func=lambda i: f"{lengths[i]:,.1f}",
            wrap=True,
        )
        n = slide(tr("positions.count"), 8, 256, default=100, key="positions.helix_n", width=260)
    dimensions = [2 * pair, 2 * pair + 1]
    sine, cosine = positional_encoding(n, d_model)[:, dimensions].numpy().T  # (n,) each
    scene = helix(
        sine,
        cosine,
        sine_title=tr("positions.helix_sine", dimension=dimensions[0]),
        cosine_title=tr("positions.helix_cosine", dimension=dimensions[1]),
        position_title=tr("positions.position"),
    )
    table = Table.of(position=np.arange(n), sine=sine, cosine=cosine)
    what = about_page("positions", n=n, d_model=d_model, dimensions=dimensions)
    with figure("helix", tr, title=tr("positions.view_helix"), about=what) as fig:
        show_scene(scene, fig, table, key="positions.helix")
    st.markdown(tr.section("positions", "helix"))


def show_counter(d_model: int, tr: Translator) -> None:
    """The position as a binary number, and waves that count alike; the quickest stands last."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        n = slide(tr("positions.count"), 4, 48, default=17, key="positions.counter_count")
        shown = choose_named("positions.shown", ("value", "sign"), tr)
    pairs = doubling_pairs(d_model, _N_BITS)[::-1]
    waves = positional_encoding(n, d_model)[:, [2 * pair for pair in pairs]].numpy()  # the sines
    positions, lengths = [str(p) for p in range(n)], wavelengths(d_model)[pairs].tolist()
    numbers = Matrix(
        bits(n, _N_BITS).flip(1).numpy(),
        tr("positions.bits"),
        labels=Labels(positions, [str(2**bit) for bit in reversed(range(_N_BITS))]),
        scale="weights",
    )
    sines = Matrix(
        waves if shown == "value" else np.sign(waves),
        tr("positions.sines"),
        labels=Labels(positions, [f"λ {length:.0f}" for length in lengths]),
        limit=1.0,
    )
    what = about_page("positions", n=n, d_model=d_model)
    with figure("counter", tr, title=tr("positions.view_counter"), about=what) as fig:
        show_matrices([numbers, sines], fig, key="positions.counter", operators=[" "])
    st.markdown(tr.section("positions", "counter"))
