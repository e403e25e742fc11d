"""Every chart and table is handed to Streamlit here: a chart as a specification that is ready.

Plotly draws what has three dimensions. A browser gets its 4.7 MB on those views alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd  # type: ignore[import-untyped]
import streamlit as st

from ui.charts.chart import Chart
from ui.charts.heatmap import heatmap
from ui.export.figure import Figure
from ui.export.tables import Table
from ui.text.translator import Translator

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as Scene  # type: ignore[import-untyped]

# pixels of a map that are not columns, for row labels and sums; of a column where there is room
_WIDE, _NARROW = (240, 52), (170, 44)


def show_chart(chart: Chart, shown: Figure, *, key: str, alt: str | None = None) -> None:
    """Draw a chart where the page stands.

    Args:
        chart: what ``ui.charts`` has made.
        shown: the figure that it is a part of.
        key: of its place on the page.
        alt: what it shows, for those who do not see it; None: what the figure's title says.
    """
    width: Literal["content", "stretch"] = "content" if chart.width else "stretch"
    st.vega_lite_chart(None, chart.specification(), key=key, alt=alt or shown.title, width=width)
    if chart.numbers:
        shown.draws(lambda: {key.rpartition(".")[2]: Table.named(chart.numbers)})


def show_heatmap(
    cells: npt.NDArray[np.float32],
    shown: Figure,
    tr: Translator,
    *,
    key_tokens: Sequence[str],
    keys: tuple[str, str, str] = ("map", "frame", "heatmap"),
    about: str = "",
    narrow: bool = False,
    **how: Any,
) -> None:
    """One map, large. It fills its column; where that is too narrow it scrolls in its box.

    Args:
        cells: (T, S).
        shown: the figure that it is a part of.
        key_tokens: S visible tokens.
        keys: of its column, its box and itself.
        about: what it shows, for those who do not see it, where no title above says so.
        narrow: as for ``heatmap``.
        how: what else ``heatmap`` takes.
    """
    chart = heatmap(
        cells,
        key_tokens=key_tokens,
        query_title=tr("map.query"),
        key_title=tr("map.key"),
        narrow=narrow,
        **how,
    )
    (outer, box, key), columns = keys, len(key_tokens)
    margin, column = _NARROW if narrow else _WIDE
    st.html(f"<style>.st-key-{outer.replace('.', '-')} {{ --columns: {columns} }}</style>")
    with st.container(key=outer), st.container(key=box, width=margin + columns * column):
        # The same words for each head, whose title stands above: a chart with others is begun anew.
        show_chart(chart, shown, key=key, alt=f"{about}{tr('map.alt')}")


def show_scene(scene: Scene, shown: Figure, table: Table, *, key: str) -> None:
    """Draw what can be turned.

    Args:
        scene: what ``ui.charts`` has made.
        shown: the figure that it is a part of.
        table: its numbers.
        key: of its place on the page.
    """
    st.plotly_chart(scene, key=key, width="stretch", config={"displayModeBar": False})
    shown.draws(lambda: {key.rpartition(".")[2]: table})


def show_table(table: pd.DataFrame, *, key: str, **how: Any) -> Any:
    """Draw a table; where there is no value its cell is empty.

    Args:
        table: what its cells hold, and the names of its columns.
        key: of its place on the page.
        how: what else ``st.dataframe`` takes.

    Returns:
        What ``st.dataframe`` does: the chosen rows, where rows can be chosen.
    """
    return st.dataframe(table, hide_index=True, placeholder="", key=key, **how)
