"""Every chart is handed to Streamlit here: a specification that is ready, nothing of Altair's.

Plotly draws what has three dimensions. A browser gets its 4.7 MB on those views alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import streamlit as st

from ui.charts.chart import Chart

if TYPE_CHECKING:
    from plotly.graph_objects import Figure  # type: ignore[import-untyped]


def show_chart(chart: Chart, *, key: str, alt: str | None = None) -> None:
    """Draw a chart where the page stands.

    Args:
        chart: what ``ui.charts`` has made.
        key: of its place on the page.
        alt: what it shows, for those who do not see it.
    """
    width: Literal["content", "stretch"] = "content" if chart.width else "stretch"
    st.vega_lite_chart(None, chart.specification(), key=key, alt=alt, width=width)


def show_figure(figure: Figure, *, key: str) -> None:
    """Draw a figure that can be turned; arguments as for ``show_chart``."""
    st.plotly_chart(figure, key=key, width="stretch", config={"displayModeBar": False})
