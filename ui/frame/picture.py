"""Every chart is handed to Streamlit here: a specification that is ready, nothing of Altair's.

Plotly draws what has three dimensions. A browser gets its 4.7 MB on those views alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt
import streamlit as st

from ui.charts.chart import Chart
from ui.charts.heatmap import heatmap
from ui.text.translator import Translator

if TYPE_CHECKING:
    from plotly.graph_objects import Figure  # type: ignore[import-untyped]

_MARGIN = 240  # pixels of a map that are not columns: row labels and sums
_COLUMN = 52  # pixels of a column where there is room


def show_chart(chart: Chart, *, key: str, alt: str | None = None) -> None:
    """Draw a chart where the page stands.

    Args:
        chart: what ``ui.charts`` has made.
        key: of its place on the page.
        alt: what it shows, for those who do not see it.
    """
    width: Literal["content", "stretch"] = "content" if chart.width else "stretch"
    st.vega_lite_chart(None, chart.specification(), key=key, alt=alt, width=width)


def show_heatmap(
    cells: npt.NDArray[np.float32], tr: Translator, *, key_tokens: Sequence[str], **how: Any
) -> None:
    """One map, large. It fills its column; where that is too narrow it scrolls in its box.

    Args:
        cells: (T, S).
        tr: the visitor's language.
        key_tokens: S visible tokens.
        how: what else ``heatmap`` takes.
    """
    chart = heatmap(
        cells,
        key_tokens=key_tokens,
        query_title=tr("map.query"),
        key_title=tr("map.key"),
        **how,
    )
    columns = len(key_tokens)
    st.html(f"<style>.st-key-map {{ --columns: {columns} }}</style>")
    with st.container(key="map"), st.container(key="frame", width=_MARGIN + columns * _COLUMN):
        show_chart(chart, key="heatmap", alt=tr("map.alt"))


def show_figure(figure: Figure, *, key: str) -> None:
    """Draw a figure that can be turned; arguments as for ``show_chart``."""
    st.plotly_chart(figure, key=key, width="stretch", config={"displayModeBar": False})
