"""Every chart and table is handed to Streamlit here: a chart as a specification that is ready.

Plotly draws what has three dimensions. A browser gets its 4.7 MB on those views alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd  # type: ignore[import-untyped]
import streamlit as st

from model.maps.measures import strongest_cell
from model.maps.two_maps import differing_axis, jensen_shannon, signed_difference
from ui.charts.chart import Chart
from ui.charts.heatmap import heatmap
from ui.export.figure import Figure
from ui.export.tables import Table, Tokens, map_table
from ui.text.markup import paragraph, side
from ui.text.translator import Translator

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as Scene  # type: ignore[import-untyped]

# pixels of a map that are not columns, for row labels and sums; of a column where there is room
_WIDE, _NARROW = (240, 52), (170, 44)
_DIFFERENCE = "A − B"


def show_chart(chart: Chart, shown: Figure, *, key: str, alt: str | None = None) -> None:
    """Draw a part of a figure; ``alt`` says what it shows, if the figure's title does not."""
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
        key_tokens: S visible tokens; ``narrow`` and what follows are as for ``heatmap``.
        keys: of its column, its box and itself.
        about: what it shows, for those who do not see it, where no title above says so.
    """
    how |= {"query_title": tr("map.query"), "key_title": tr("map.key")}
    chart = heatmap(cells, key_tokens=key_tokens, narrow=narrow, **how)
    (outer, box, key), columns = keys, len(key_tokens)
    margin, column = _NARROW if narrow else _WIDE
    st.html(f"<style>.st-key-{outer.replace('.', '-')} {{ --columns: {columns} }}</style>")
    with st.container(key=outer), st.container(key=box, width=margin + columns * column):
        # The same words for each head, whose title stands above: a chart with others is begun anew.
        show_chart(chart, shown, key=key, alt=f"{about}{tr('map.alt')}")


def show_scene(scene: Scene, shown: Figure, table: Table, *, key: str) -> None:
    """Draw what can be turned, of which a table has the numbers, as a part of a figure."""
    st.plotly_chart(scene, key=key, width="stretch", config={"displayModeBar": False})
    shown.draws(lambda: {key.rpartition(".")[2]: table})


def show_table(table: pd.DataFrame, *, key: str, **how: Any) -> Any:
    """As ``st.dataframe``; where there is no value its cell is empty."""
    return st.dataframe(table, hide_index=True, placeholder="", key=key, **how)


@dataclass(frozen=True)
class Side:
    """One of two maps."""

    what: str  # its name, in the visitor's language
    map: npt.NDArray[np.float32]  # (T, S)
    query_tokens: Sequence[str]  # T visible tokens
    key_tokens: Sequence[str]  # S visible tokens
    text: str = ""  # the translation that it belongs to, where the two may have different ones
    language: str | None = None  # of the text, where it is known

    @property
    def tokens(self) -> Tokens:
        """Of rows and columns."""
        return {"query_tokens": self.query_tokens, "key_tokens": self.key_tokens}


def why_apart(first: Side, second: Side, tr: Translator, hint: str) -> str:
    """Why a cell does not mean the same in both maps, and a ``hint``; empty where it does."""
    sides = ((side.query_tokens, side.key_tokens) for side in (first, second))
    axis = differing_axis(*sides)
    return f"{tr(f'two.other_{axis}')} {hint}" if axis else ""


def show_two(
    first: Side,
    second: Side,
    shown: Figure,
    tr: Translator,
    *,
    measure: str = "weights",
    limit: float = 1.0,
    causal: bool = False,
    normalised: bool = True,
    apart: str = "",
) -> None:
    """Both maps, and first minus second where rows and columns are the same tokens.

    Args:
        shown: the figure that they are a part of.
        measure: ``"weights"`` or ``"value_norms"``.
        limit: what the strongest colour stands for in both.
        causal: what lies right of the diagonal was hidden from the model.
        normalised: whether the rows of both sum to 1.
        apart: why there is no difference, as ``why_apart`` says it; empty where there is one.
    """
    how = {"limit": limit, "causal": causal, "normalised": normalised}
    maps = {"A": first, "B": second}
    with st.container(key="two"):
        for place, (letter, one) in zip(st.columns(2), maps.items(), strict=True):
            with place:
                _show_map(letter, one, shown, tr, weight_title=tr(f"map.{measure}"), **how)
        if apart:
            st.markdown(apart)
        else:
            what = tr("two.difference")
            between = replace(first, what=what, map=signed_difference(first.map, second.map))
            maps["A minus B"] = between
            rows = jensen_shannon(first.map, second.map) if normalised else None
            picture, words = st.columns([3, 2])
            with picture:
                notes = [] if rows is None else [f"JS {bits:.2f}" for bits in rows]
                more = {"weight_title": _DIFFERENCE, "signed": True, "row_notes": notes}
                _show_map(_DIFFERENCE, replace(between, text=""), shown, tr, **more, **how)
            with words:
                _say_difference(between, rows, tr)
    shown.numbers(lambda: {name: map_table(one.map, **one.tokens) for name, one in maps.items()})


def _say_difference(between: Side, rows: npt.NDArray[np.float32] | None, tr: Translator) -> None:
    """The largest difference, its sign in words, and how far rows (T,) diverge, in bits."""
    st.markdown(tr("two.sign"))
    st.html(paragraph(_largest(between, tr), kind="largest"))
    if rows is not None:
        most = int(rows.argmax())
        said = tr(
            "two.divergence",
            mean=f"{rows.mean():.3f}",
            most=f"{rows[most]:.3f}",
            token=between.query_tokens[most],
        )
        st.html(paragraph(said, kind="divergence"))


def _largest(between: Side, tr: Translator) -> str:
    row, column = strongest_cell(np.abs(between.map))
    value = float(between.map[row, column])
    if not value:
        return tr("two.same")
    return tr(
        f"two.largest_{'first' if value > 0 else 'second'}",
        row=between.query_tokens[row],
        column=between.key_tokens[column],
        amount=f"{abs(value):.4f}",
    )


def _show_map(letter: str, one: Side, shown: Figure, tr: Translator, **how: Any) -> None:
    st.html(side(letter, one.what, one.text, lang=one.language))
    name = "difference" if letter == _DIFFERENCE else letter.lower()
    keys = f"two.map.{name}", f"two.frame.{name}", f"two.{name}"
    about = f"{shown.title}. {one.what}. "
    show_heatmap(one.map, shown, tr, **one.tokens, keys=keys, about=about, narrow=True, **how)
