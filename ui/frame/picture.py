"""Every chart and table is handed to Streamlit here: a chart as a specification that is ready.

Plotly draws what has three dimensions. A browser gets its 4.7 MB on those views alone.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd  # type: ignore[import-untyped]
import streamlit as st

from model.maps.measures import strongest_cell
from model.maps.two_maps import differing_axis, jensen_shannon
from model.pictures.map_svg import check_map
from ui.charts.chart import Chart
from ui.components.matrices import Matrix, show_matrices
from ui.export.figure import Figure
from ui.export.tables import Labels, Table, map_table
from ui.text.markup import paragraph, side
from ui.text.translator import Translator

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as Scene  # type: ignore[import-untyped]

_LARGEST = 52  # pixels of a column
_DIFFERENCE = "A − B"


def show_chart(chart: Chart, fig: Figure, *, key: str, alt: str | None = None) -> None:
    """Draw a part of a figure; ``alt`` says what it shows, if the figure's title does not."""
    width: Literal["content", "stretch"] = "content" if chart.width else "stretch"
    st.vega_lite_chart(None, chart.specification(), key=key, alt=alt or fig.title, width=width)
    if chart.numbers:
        fig.draws(lambda: {key.rpartition(".")[2]: Table.of(**chart.numbers)})


def show_heatmap(
    cells: npt.NDArray[np.float32],
    fig: Figure,
    labels: Labels,
    *,
    weight_title: str,
    key: str = "map",
    about: str = "",
    row_notes: Sequence[str] = (),
    causal: bool = False,
    normalised: bool = True,
    limit: float = 1.0,
    signed: bool = False,
    sums: bool = True,
    marked: Collection[tuple[int, int]] = (),
    covered: Collection[int] = (),
    **picks: Any,
) -> None:
    """One map, large: rows are queries, top to bottom; columns are keys, in their own direction.

    Args:
        cells: (T, S), in [0, limit]; signed in [-limit, limit].
        weight_title: what a cell is.
        key: of the component; the one called ``map`` follows the page's grid of heads.
        about: what it is, for those who do not see it, where the figure's title does not say so.
        row_notes: what stands at the right of each row, after its sum; T texts or none.
        causal: cells right of the diagonal were hidden from the model.
        normalised: the rows claim to sum to 1.
        limit: what the strongest colour stands for; 1 for weights.
        signed: the cells are differences, of which the rows sum to anything.
        sums: whether the sum of each row stands beside it.
        marked, covered: as the ``frames`` and the ``covered`` rows of ``Matrix``.
        picks: of ``show_matrices``: which cell is picked, and what a click does.

    Raises:
        ValueError: the shape does not fit the tokens, a cell lies outside its range, a row that
            should does not sum to 1, or a hidden cell is not 0.
    """
    cells, rows = np.array(cells, dtype=np.float32), len(labels.rows)
    cells[list(covered)] = 0
    check_map(cells, (rows, len(labels.columns)), -limit if signed else 0.0, limit)
    if causal and np.triu(cells, k=1).any():
        raise ValueError("a causal map must be 0 right of the diagonal")
    cells[list(covered)] = np.nan
    totals = cells.sum(axis=1)
    if normalised and not signed and np.nanmax(np.abs(totals - 1), initial=0) > 1e-3:
        raise ValueError(f"every row must sum to 1, got {totals.tolist()}")
    with_sums = sums and limit == 1 and not signed  # sums of norms say nothing
    notes = [f"Σ {total:.2f}" if with_sums else "" for total in totals]
    notes = ["?" if row in covered else note for row, note in enumerate(notes)]
    notes = [" ".join(both).strip() for both in zip(notes, row_notes or [""] * rows, strict=True)]
    if causal:
        cells[np.triu_indices_from(cells, k=1)] = np.nan
    matrix = Matrix(
        cells,
        weight_title,
        about or fig.title,
        labels=labels,
        scale="signed" if signed else "weights",
        limit=limit,
        large=True,
        notes=notes if any(notes) else (),
        frames=sorted(marked),
        covered=sorted(covered),
    )
    show_matrices([matrix], fig, key=key, largest=_LARGEST, follows=key == "map", **picks)


def show_scene(scene: "Scene", fig: Figure, table: Table, *, key: str) -> None:
    """Draw what can be turned, of which a table has the numbers, as a part of a figure."""
    st.plotly_chart(scene, key=key, width="stretch", config={"displayModeBar": False})
    fig.draws(lambda: {key.rpartition(".")[2]: table})


def show_table(table: pd.DataFrame, *, key: str, **how: Any) -> Any:
    """As ``st.dataframe``; where there is no value its cell is empty."""
    return st.dataframe(table, hide_index=True, placeholder="", key=key, **how)


@dataclass(frozen=True)
class Side:
    """One of two maps."""

    what: str  # its name, in the visitor's language
    map: npt.NDArray[np.float32]  # (T, S)
    labels: Labels
    text: str = ""  # the translation that it belongs to, where the two may have different ones
    language: str | None = None  # of the text, where it is known


def why_apart(first: Side, second: Side, tr: Translator, hint: str) -> str:
    """Why a cell does not mean the same in both maps, and a ``hint``; empty where it does."""
    axis = differing_axis(first.labels[:2], second.labels[:2])
    return f"{tr(f'two.other_{axis}')} {hint}" if axis else ""


def show_two(
    first: Side,
    second: Side,
    fig: Figure,
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
        measure: what a cell is, a kind of ``Cells``.
        limit, causal, normalised: of both, as for ``show_heatmap``.
        apart: why there is no difference, as ``why_apart`` says it; empty where there is one.
    """
    how = {"limit": limit, "causal": causal, "normalised": normalised}
    maps = {"A": first, "B": second}
    with st.container(key="two"):
        for place, (letter, one) in zip(st.columns(2), maps.items(), strict=True):
            with place:
                _show_map(letter, one, fig, weight_title=tr(f"map.{measure}"), **how)
        if apart:
            st.markdown(apart)
        else:
            what = tr("two.difference")
            between = replace(first, what=what, map=first.map - second.map)
            maps["A minus B"] = between
            rows = jensen_shannon(first.map, second.map) if normalised else None
            picture, words = st.columns([3, 2])
            with picture:
                notes = [] if rows is None else [f"JS {bits:.2f}" for bits in rows]
                more = {"weight_title": _DIFFERENCE, "signed": True, "row_notes": notes}
                _show_map(_DIFFERENCE, replace(between, text=""), fig, **more, **how)
            with words:
                _say_difference(between, rows, tr)
    fig.numbers(lambda: {name: map_table(one.map, one.labels) for name, one in maps.items()})


def _say_difference(between: Side, rows: npt.NDArray[np.float32] | None, tr: Translator) -> None:
    """The largest difference, its sign in words, and how far rows (T,) diverge, in bits."""
    st.markdown(tr("two.sign"))
    row, column = strongest_cell(np.abs(between.map))
    value, largest = float(between.map[row, column]), tr("two.same")
    if value:
        largest = tr(
            f"two.largest_{'first' if value > 0 else 'second'}",
            row=between.labels.rows[row],
            column=between.labels.columns[column],
            amount=f"{abs(value):.4f}",
        )
    st.html(paragraph(largest, kind="largest"))
    if rows is not None:
        most = int(rows.argmax())
        said = tr(
            "two.divergence",
            mean=f"{rows.mean():.3f}",
            most=f"{rows[most]:.3f}",
            token=between.labels.rows[most],
        )
        st.html(paragraph(said, kind="divergence"))


def _show_map(letter: str, one: Side, fig: Figure, **how: Any) -> None:
    st.html(side(letter, one.what, one.text, lang=one.language))
    name = "difference" if letter == _DIFFERENCE else letter.lower()
    about = f"{fig.title}. {one.what}."
    show_heatmap(one.map, fig, one.labels, key=f"two.{name}", about=about, sums=False, **how)
