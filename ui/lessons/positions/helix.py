"""One wave in space: a sine, its cosine, and the position along which they wind."""

from __future__ import annotations

import numpy as np
import streamlit as st

from model.lessons.positions import doubling_pairs, wavelengths
from model.transformer.positional import positional_encoding
from ui.charts.scenes import helix
from ui.export.figure import figure
from ui.export.provenance import about_page
from ui.export.tables import Table
from ui.frame.controls import choose, slide
from ui.frame.picture import show_scene
from ui.text.translator import Translator

_WAVES = 6  # to choose from


def show_helix(d_model: int, tr: Translator) -> None:
    """Two columns of the matrix that belong together, over the positions."""
    pairs, lengths = doubling_pairs(d_model, _WAVES), wavelengths(d_model).tolist()
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
    waves = positional_encoding(n, d_model).numpy()  # (n, d_model)
    scene = helix(
        waves[:, 2 * pair],
        waves[:, 2 * pair + 1],
        sine_title=tr("positions.helix_sine", dimension=2 * pair),
        cosine_title=tr("positions.helix_cosine", dimension=2 * pair + 1),
        position_title=tr("positions.position"),
    )
    table = Table.of(position=np.arange(n), sine=waves[:, 2 * pair], cosine=waves[:, 2 * pair + 1])
    what = about_page("positions", n=n, d_model=d_model, dimensions=[2 * pair, 2 * pair + 1])
    with figure("helix", tr, title=tr("positions.view_helix"), about=what) as shown:
        show_scene(scene, shown, table, key="positions.helix")
