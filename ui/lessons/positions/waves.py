"""The waves of the positional encoding: curves, a helix, a counter, distance, rotation."""

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
from ui.export.lesson_lines import (
    lines_of_counter,
    lines_of_distance,
    lines_of_helix,
    lines_of_rotation,
    lines_of_wavelengths,
    lines_of_waves,
)
from ui.export.tables import Labels, Table
from ui.frame.controls import PLAYER, choose, select_some, show_play, slide
from ui.frame.pickers import choose_named
from ui.frame.picture import show_chart, show_scene
from ui.state.visitor import visitor
from ui.text.markup import alert, guide
from ui.text.numbers import signed
from ui.text.translator import Translator

_MAX_WAVES = 6  # waves drawn at once
# The waves drawn at first: every second one of so many, each about twice as long as the one before.
_N_FIRST_WAVES = 7
_MILLISECONDS_PER_POSITION = 150  # while the slider plays
_GRID_STEP = 0.25  # in positions: the shortest wave (6.28) looks jagged with 1
_N_HELICES = 6  # number of waves to choose from
_N_BITS = 6  # columns of the counter
_N_COMPARED = 40  # positions
_COMPARED_POSITION = "positions.p"  # key of the slider; a click on the matrix also sets it
_N_DIALS = 8  # waves that are drawn as dials
_SUBSCRIPT = str.maketrans("-0123456789", "₋₀₁₂₃₄₅₆₇₈₉")


def show_waves(model: TranslationModel, tr: Translator) -> None:
    """Draw chosen dimensions over the positions, with a slider, and the wavelengths of all."""
    d_model = model.config.d_model
    wavelengths = positions.wavelengths(d_model).tolist()

    def name(dimension: int) -> str:
        function = "sine" if dimension % 2 == 0 else "cosine"
        wavelength = f"{wavelengths[dimension // 2]:,.1f}"
        return tr(f"positions.{function}", dimension=dimension, wavelength=wavelength)

    # 1. Ask for the dimensions and the number of positions
    first_pairs = positions.doubling_pairs(d_model, _N_FIRST_WAVES)[::2]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = select_some(
            tr("positions.dimensions"),
            range(d_model),
            default=[2 * pair for pair in first_pairs],
            max_selections=_MAX_WAVES,
            key="positions.dimensions",
            format_func=name,
            width="stretch",
        )
        n = slide(tr("positions.count"), 8, 256, default=100, key="positions.wave_count", width=260)
        if chosen:
            show_play(tr, step_milliseconds=_MILLISECONDS_PER_POSITION)
    if not chosen:
        st.html(alert(tr("positions.no_dimension")))
        return

    # 2. Draw the waves in the player, so that its button moves the chart's slider
    grid = torch.arange(0, n - 1 + _GRID_STEP / 2, _GRID_STEP, dtype=torch.float64)
    chart = lines(
        {name(d): positions.wave(grid, d, d_model).numpy() for d in chosen},
        grid.numpy(),
        x_title=tr("positions.position"),
        y_title=tr("positions.value"),
        slider=tr("positions.position"),
        height=380,
    )
    title = tr("positions.view_waves")
    description = about_page("positions", n=n, d_model=d_model, dimensions=chosen)
    python = lines_of_waves(chosen, d_model=d_model, n=n, step=_GRID_STEP)
    with (
        st.container(key=PLAYER),
        figure("waves", tr, title=title, about=description, python=python) as fig,
    ):
        show_chart(chart, fig, key="positions.waves")
    st.caption(tr("positions.between"))

    # 3. Draw all wavelengths
    _show_wavelengths(wavelengths, tr)


def _show_wavelengths(wavelengths: Sequence[float], tr: Translator) -> None:
    """Draw all wavelengths, in positions, on a logarithmic axis."""
    n = len(wavelengths)
    longest = wavelengths[-1]
    factor = f"{longest / (2 * math.pi):,.0f}"
    st.markdown(tr("positions.wavelengths", n=n, longest=f"{longest:,.0f}", factor=factor))
    title = tr("positions.title_wavelengths")
    wavelength = tr("positions.wavelength")
    chart = lines(
        {wavelength: np.array(wavelengths)},
        np.arange(float(n)),
        x_title=tr("positions.wave"),
        y_title=wavelength,
        log_y=True,
        height=240,
    )
    description = about_page("positions", d_model=2 * n)
    python = lines_of_wavelengths(2 * n)
    with figure("wavelengths", tr, title=title, about=description, python=python) as fig:
        show_chart(chart, fig, key="positions.wavelengths")


def show_helix(model: TranslationModel, tr: Translator) -> None:
    """Draw one wave as a helix: the sine and the cosine of one frequency over the positions."""
    # 1. Ask for the wave and the number of positions
    d_model = model.config.d_model
    pairs = positions.doubling_pairs(d_model, _N_HELICES)
    wavelengths = positions.wavelengths(d_model).tolist()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        pair = choose(
            tr("positions.helix_wave"),
            pairs,
            default=pairs[min(2, len(pairs) - 1)],
            key="positions.helix_wave",
            format_func=lambda i: f"{wavelengths[i]:,.1f}",
            wrap=True,
        )
        n = slide(tr("positions.count"), 8, 256, default=100, key="positions.helix_n", width=260)

    # 2. Draw it
    sine_dimension = 2 * pair
    cosine_dimension = 2 * pair + 1
    encoding = positional_encoding(n, d_model).numpy()  # (n, d_model)
    sine = encoding[:, sine_dimension]  # (n,)
    cosine = encoding[:, cosine_dimension]  # (n,)
    scene = helix(
        sine,
        cosine,
        sine_title=tr("positions.helix_sine", dimension=sine_dimension),
        cosine_title=tr("positions.helix_cosine", dimension=cosine_dimension),
        position_title=tr("positions.position"),
    )
    table = Table.of(position=np.arange(n), sine=sine, cosine=cosine)
    description = about_page(
        "positions", n=n, d_model=d_model, dimensions=[sine_dimension, cosine_dimension]
    )
    title = tr("positions.view_helix")
    python = lines_of_helix((sine_dimension, cosine_dimension), d_model=d_model, n=n)
    with figure("helix", tr, title=title, about=description, python=python) as fig:
        show_scene(scene, fig, table, key="positions.helix")
    st.html(guide("", tr("space.turn")))
    st.markdown(tr.section("positions", "helix"))


def show_counter(model: TranslationModel, tr: Translator) -> None:
    """Draw the positions as binary numbers, beside waves that count in the same way.

    The wave that changes most quickly is the last column, like the last bit of a number.
    """
    # 1. Ask for the number of positions, and for values or signs of the waves
    d_model = model.config.d_model
    with st.container(horizontal=True, vertical_alignment="bottom"):
        n = slide(tr("positions.count"), 4, 48, default=17, key="positions.counter_count")
        shown = choose_named("positions.shown", ("value", "sign"), tr)

    # 2. Compute the bits and the sines, both (n, _N_BITS)
    bits = positions.bits(n, _N_BITS).flip(1).numpy()
    pairs = positions.doubling_pairs(d_model, _N_BITS)[::-1]
    sines = positional_encoding(n, d_model)[:, [2 * pair for pair in pairs]].numpy()
    wavelengths = positions.wavelengths(d_model)[pairs].tolist()

    # 3. Draw both
    rows = [str(position) for position in range(n)]
    bit_matrix = Matrix(
        bits,
        tr("positions.bits"),
        labels=Labels(rows, [str(2**bit) for bit in reversed(range(_N_BITS))]),
        scale="weights",
    )
    sine_matrix = Matrix(
        sines if shown == "value" else np.sign(sines),
        tr("positions.sines"),
        labels=Labels(rows, [f"λ {length:.0f}" for length in wavelengths]),
        limit=1.0,
    )
    description = about_page("positions", n=n, d_model=d_model)
    title = tr("positions.view_counter")
    python = lines_of_counter(pairs, d_model=d_model, n=n, n_bits=_N_BITS, signs=shown == "sign")
    with figure("counter", tr, title=title, about=description, python=python) as fig:
        show_matrices(
            [bit_matrix, sine_matrix], fig, key="positions.counter", operators=[" "], widest=56
        )
    st.markdown(tr.section("positions", "counter"))


def show_distance(model: TranslationModel, tr: Translator) -> None:
    """Draw PE · PEᵀ, and one of its rows as a curve over the distance."""
    # 1. Ask for the position that is compared with all others
    d_model = model.config.d_model
    p = slide(tr("positions.p"), 0, _N_COMPARED - 1, default=20, key=_COMPARED_POSITION)

    # 2. Compute the row of this position, and the formula over the offsets -(n - 1), ..., n - 1
    similarity = positions.similarity(_N_COMPARED, d_model).numpy()  # (n, n)
    offsets = np.arange(1.0 - _N_COMPARED, _N_COMPARED)  # (2n - 1,)
    row = np.full(offsets.shape, np.nan)
    row[_N_COMPARED - 1 - p : 2 * _N_COMPARED - 1 - p] = similarity[p]
    formula = positions.similarity_at(torch.tensor(offsets), d_model).numpy()  # (2n - 1,)
    largest_error = np.nanmax(np.abs(row - formula))

    # 3. Draw both
    matrix = Matrix(
        similarity,
        tr("positions.similarity"),
        f"({_N_COMPARED}, {_N_COMPARED})",
        Labels([str(position) for position in range(_N_COMPARED)]),
    )
    chart = lines(
        {tr("positions.formula"): formula, tr("positions.row", p=p): row},
        offsets,
        x_title=tr("positions.offset"),
        y_title=tr("positions.dot"),
        mark_x=0,
        height=400,
    )
    description = about_page("positions", n=_N_COMPARED, p=p, d_model=d_model)
    title = tr("positions.view_distance")
    python = lines_of_distance(d_model, n=_N_COMPARED, position=p)
    with figure("distance", tr, title=title, about=description, python=python) as fig:
        matrix_column, curve_column = st.columns(2, gap="large")
        with matrix_column:
            show_matrices(
                [matrix],
                fig,
                key="positions.similarity",
                clicked=(0, p, p),
                on_click=lambda _, row, __: visitor().set({_COMPARED_POSITION: row}),
            )
            st.html(guide("", tr("positions.pick")))
        with curve_column:
            show_chart(chart, fig, key="positions.row")
            st.caption(tr("positions.row_error", error=f"{largest_error:.0e}"))
    st.markdown(tr.section("positions", "distance"))


def show_rotation(model: TranslationModel, tr: Translator) -> None:
    """Draw a shift by k as a rotation of each wave, and as a product with the matrix M_k.

    Dials and matrix show some of the waves; the error below them is computed over all dimensions.
    """
    # 1. Ask for the position and the shift
    d_model = model.config.d_model
    max_length = model.config.max_length
    with st.container(horizontal=True):
        p = slide(tr("positions.p"), 0, 100, default=3, key="positions.from")
        k = slide(tr("positions.k"), -50, 50, default=5, key="positions.k")

    # 2. Compute a dial for each wave in the picture
    pairs = positions.doubling_pairs(d_model, _N_DIALS)
    wavelengths = positions.wavelengths(d_model)[pairs].tolist()
    w = frequencies(d_model)[pairs].numpy()  # (8,), radians per position
    chart = dials(
        p * w,
        (p + k) * w,
        labels=[f"λ {length:,.0f}" for length in wavelengths],
        before_title=tr("positions.hand", p=p),
        after_title=tr("positions.hand", p=p + k),
        dial_title=tr("positions.wave"),
    )

    # 3. Compute M_k · PE(p) = PE(p + k) in the dimensions of these waves
    dimensions = []
    for pair in pairs:
        dimensions += [2 * pair, 2 * pair + 1]
    names = [str(dimension) for dimension in dimensions]
    m_k = positions.rotation(k, d_model)[dimensions][:, dimensions].numpy()  # (16, 16)
    matrices = [
        Matrix(m_k, f"M{str(k).translate(_SUBSCRIPT)}", labels=Labels(names, names), limit=1.0)
    ]
    for position in (p, p + k):
        encoding = positional_encoding(1, d_model, first=position)[0, dimensions]  # (16,)
        matrices.append(Matrix(encoding[:, None].numpy(), f"PE({position})", limit=1.0))

    # 4. Draw both, and check the equation for all dimensions and positions
    description = about_page("positions", p=p, k=k, d_model=d_model)
    title = tr("positions.view_rotation")
    python = lines_of_rotation(dimensions, d_model=d_model, position=p, shift=k)
    with figure("rotation", tr, title=title, about=description, python=python) as fig:
        show_chart(chart, fig, key="positions.dials")
        st.markdown(
            tr(
                "positions.rotation_error",
                k=k,
                shift=signed(k, "+d"),
                last=max_length - 1,
                d_model=d_model,
                error=f"{positions.rotation_error(k, d_model, max_length):.0e}",
            )
        )
        show_matrices(matrices, fig, key="positions.m_k", operators=["·", "="], links=["i:", ":j"])
    st.caption(tr("positions.blocks", n=len(dimensions), d_model=d_model))
    st.markdown(tr.section("positions", "rotation"))
