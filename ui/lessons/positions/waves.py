"""The waves of the positional encoding: over the positions, in space, as a counter, by distance."""

import math
from collections.abc import Sequence

import numpy as np
import streamlit as st
import torch

from model import TranslationModel
from model.lessons import positions
from model.transformer.positional import frequencies, positional_encoding
from ui.charts.dials import dials
from ui.charts.lines import lines
from ui.charts.scenes import helix
from ui.components.matrices import Matrix, show_matrices
from ui.export.figure import about_page, figure
from ui.export.tables import Labels, Table
from ui.frame.controls import PLAYER, choose, pick_some, show_play, slide
from ui.frame.pickers import choose_named
from ui.frame.picture import show_chart, show_scene
from ui.text.markup import alert
from ui.text.numbers import signed
from ui.text.translator import Translator

_MOST = 6  # waves at once
_PACE = 150  # milliseconds from one position to the next
_STEP = 0.25  # positions: the shortest wave, of 6.28, would be jagged with whole ones
_HELICES = 6  # to choose from
_N_BITS = 6
_N, _KEY = 40, "positions.p"  # positions that are compared, and the one that is picked
_N_DIALS = 8
_SUBSCRIPT = str.maketrans("-0123456789", "₋₀₁₂₃₄₅₆₇₈₉")


def show_waves(t: TranslationModel, tr: Translator) -> None:
    """Chosen dimensions over position, one of which moves along them; the wavelengths of all."""
    d_model = t.config.d_model
    lengths = positions.wavelengths(d_model).tolist()

    def name(dimension: int) -> str:
        kind, wavelength = ("sine", "cosine")[dimension % 2], f"{lengths[dimension // 2]:,.1f}"
        return tr(f"positions.{kind}", dimension=dimension, wavelength=wavelength)

    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = pick_some(
            tr("positions.dimensions"),
            range(d_model),
            default=[2 * pair for pair in positions.doubling_pairs(d_model, 7)[::2]],
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
    along = torch.arange(0, n - 1 + _STEP / 2, _STEP, dtype=torch.float64)
    chart = lines(
        {name(d): positions.wave(along, d, d_model).numpy() for d in chosen},
        along.numpy(),
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


def show_helix(t: TranslationModel, tr: Translator) -> None:
    """One wave in space: two columns of the matrix that belong together, over the positions."""
    d_model = t.config.d_model
    pairs = positions.doubling_pairs(d_model, _HELICES)
    lengths = positions.wavelengths(d_model).tolist()
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


def show_counter(t: TranslationModel, tr: Translator) -> None:
    """The position as a binary number, and waves that count alike; the quickest stands last."""
    d_model = t.config.d_model
    with st.container(horizontal=True, vertical_alignment="bottom"):
        n = slide(tr("positions.count"), 4, 48, default=17, key="positions.counter_count")
        shown = choose_named("positions.shown", ("value", "sign"), tr)
    pairs = positions.doubling_pairs(d_model, _N_BITS)[::-1]
    waves = positional_encoding(n, d_model)[:, [2 * pair for pair in pairs]].numpy()  # the sines
    names, lengths = [str(p) for p in range(n)], positions.wavelengths(d_model)[pairs].tolist()
    numbers = Matrix(
        positions.bits(n, _N_BITS).flip(1).numpy(),
        tr("positions.bits"),
        labels=Labels(names, [str(2**bit) for bit in reversed(range(_N_BITS))]),
        scale="weights",
    )
    sines = Matrix(
        waves if shown == "value" else np.sign(waves),
        tr("positions.sines"),
        labels=Labels(names, [f"λ {length:.0f}" for length in lengths]),
        limit=1.0,
    )
    what = about_page("positions", n=n, d_model=d_model)
    with figure("counter", tr, title=tr("positions.view_counter"), about=what) as fig:
        show_matrices([numbers, sines], fig, key="positions.counter", operators=[" "])
    st.markdown(tr.section("positions", "counter"))


def show_distance(t: TranslationModel, tr: Translator) -> None:
    """PE · PEᵀ, and one of its rows as a curve over the distance."""
    d_model = t.config.d_model
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


def show_rotation(t: TranslationModel, tr: Translator) -> None:
    """A shift by k: dials of chosen waves, their part of M_k, the check over all dimensions."""
    d_model, max_length = t.config.d_model, t.config.max_length
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
