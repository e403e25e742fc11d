"""Every chart is handed to Streamlit here: a specification that is ready, nothing of Altair's."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from ui.charts.chart import Chart


def show_chart(chart: Chart, *, key: str, alt: str | None = None) -> None:
    """Draw a chart where the page stands.

    Args:
        chart: what ``ui.charts`` has made.
        key: of its place on the page.
        alt: what it shows, for those who do not see it.
    """
    width: Literal["content", "stretch"] = "content" if chart.width else "stretch"
    st.vega_lite_chart(None, chart.specification(), key=key, alt=alt, width=width)
