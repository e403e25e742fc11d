"""Functions that show charts, maps and tables with Streamlit.

Plotly draws three-dimensional pictures. A browser loads its 4.7 MB only for those views.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd  # type: ignore[import-untyped]
import streamlit as st

from model.maps.measures import Cell, strongest_cell
from model.maps.two_maps import differing_axis, jensen_shannon
from model.pictures.map_svg import check_map
from ui.charts.chart import Chart
from ui.components.matrices import Matrix, show_matrices
from ui.export.figure import Figure
from ui.export.tables import Labels, Table, map_table
from ui.text.markup import paragraph, printed_table, side
from ui.text.numbers import decimals
from ui.text.translator import Translator

if TYPE_CHECKING:
    from plotly.graph_objects import Figure as Scene  # type: ignore[import-untyped]

_MAX_COLUMN_PIXELS = 52
_DIFFERENCE = "A − B"


def show_chart(chart: Chart, fig: Figure, *, key: str, alt: str | None = None) -> None:
    """Show a chart in a figure.

    Args:
        chart: the chart; its numbers become a table of the figure.
        fig: the figure.
        key: of the widget; its last part names the table.
        alt: what the chart shows, for a screen reader. Default: the figure's title.
    """
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
    framed: Collection[Cell] = (),
    covered: Collection[int] = (),
    clicked: tuple[int, int, int] | None = None,
    on_click: Callable[[int, int, int], None] | None = None,
    opens: str = "",
    scaled: bool = True,
    low: bool = False,
) -> None:
    """Show one large map. Rows are queries, columns are keys, ordered in their text direction.

    Args:
        cells: (T, S), in [0, limit]; signed in [-limit, limit].
        fig: the figure that the map belongs to.
        labels: the T queries and the S keys.
        weight_title: name of the number in a cell.
        key: of the component; the one called ``map`` follows the page's grid of heads.
        about: description for screen readers, if the figure's title is not enough.
        row_notes: the text at the right of each row, after its sum; T texts or none.
        causal: whether the cells right of the diagonal were hidden from the model.
        normalised: whether each row must sum to 1.
        limit: the number that gets the strongest colour; 1 for weights.
        signed: whether the cells are differences, so that a row can have any sum.
        sums: whether to write the sum of each row beside it.
        framed: cells that have a frame.
        covered: rows, from 0, that stay empty, because a class has to guess them.
        clicked, on_click, opens: as for ``show_matrices``.
        scaled: whether it has a colour scale; of several maps with the same scale, only one has it.
        low: whether its rows are low, because more follows on the same screen.

    Raises:
        ValueError: the shape does not fit the tokens, a cell lies outside its range, a normalised
            row does not sum to 1, or a hidden cell is not 0.
    """
    # 1. Check the numbers, except in covered rows
    cells = np.array(cells, dtype=np.float32)
    n_rows = len(labels.rows)
    cells[list(covered)] = 0
    check_map(cells, (n_rows, len(labels.columns)), -limit if signed else 0.0, limit)
    if causal and np.triu(cells, k=1).any():
        raise ValueError("a causal map must be 0 right of the diagonal")
    cells[list(covered)] = np.nan
    row_sums = cells.sum(axis=1)  # (T,)
    if normalised and not signed and np.nanmax(np.abs(row_sums - 1), initial=0) > 1e-3:
        raise ValueError(f"every row must sum to 1, got {row_sums.tolist()}")

    # 2. Write the notes. Norms get no sums, because a sum of norms means nothing
    with_sums = sums and limit == 1 and not signed
    notes = []
    for row, note in enumerate(row_notes or [""] * n_rows):
        row_sum = f"Σ {row_sums[row]:.2f}" if with_sums else ""
        if row in covered:
            row_sum = "?"
        notes.append(f"{row_sum} {note}".strip())

    # 3. Draw
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
        scaled=scaled,
        low=low,
        notes=notes if any(notes) else (),
        frames=sorted(framed),
        covered=sorted(covered),
    )
    show_matrices(
        [matrix],
        fig,
        key=key,
        largest=_MAX_COLUMN_PIXELS,
        follows=key == "map",
        clicked=clicked,
        on_click=on_click,
        opens=opens,
    )


def show_scene(scene: "Scene", fig: Figure, table: Table, *, key: str) -> None:
    """Draw a three-dimensional picture in a figure.

    Args:
        scene: what is drawn; a visitor can turn it.
        fig: the figure.
        table: the numbers of the picture.
        key: of the widget; its last part names the table.
    """
    st.plotly_chart(scene, key=key, width="stretch", config={"displayModeBar": False})
    fig.draws(lambda: {key.rpartition(".")[2]: table})


def show_table(table: pd.DataFrame, *, key: str, **options: Any) -> None:
    """Show a table like ``st.dataframe``, with empty cells for missing values.

    On paper all its rows are printed, and all columns that are not empty. What ``column_config``
    changes is not printed.

    Args:
        table: what is shown.
        key: of the widget.
        options: passed to ``st.dataframe``.
    """
    with st.container(gap=None):
        st.dataframe(table, hide_index=True, placeholder="", key=key, **options)
        columns = {str(name): list(map(_cell_text, column)) for name, column in table.items()}
        filled = {name: cells for name, cells in columns.items() if any(cells)}
        st.html(printed_table(list(filled), zip(*filled.values(), strict=True)))


def _cell_text(value: Any) -> str:
    """Return the text of a cell: numbers with up to four decimals, as ``st.dataframe`` shows."""
    if isinstance(value, float | np.floating):
        if np.isnan(value):
            return ""
        return decimals(value, 4).rstrip("0").rstrip(".")
    return "" if value is None else str(value)


@dataclass(frozen=True)
class Side:
    """One of two maps that are side by side."""

    name: str  # in the visitor's language
    map: npt.NDArray[np.float32]  # (T, S)
    labels: Labels
    text: str = ""  # the translation that it belongs to, if the two maps may have different ones
    language: str | None = None  # language of the text, if it is known


def why_apart(first: Side, second: Side, tr: Translator, hint: str) -> str:
    """Return a note if the cells of two maps cannot be compared.

    Args:
        first: one map.
        second: the other.
        tr: the visitor's language.
        hint: what to do about it, added to the note.

    Returns:
        "" if rows and columns have the same labels in both maps.
    """
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
    """Show both maps, and their difference if rows and columns have the same tokens.

    Args:
        first, second: the maps.
        fig: the figure that they belong to.
        tr: the visitor's language.
        measure: the measure in a cell, one of ``Cells``.
        limit, causal, normalised: of both, as for ``show_heatmap``.
        apart: why no difference is shown (from ``why_apart``); empty if it is shown.
    """
    weight_title = tr(f"map.{measure}")
    maps = {"A": first, "B": second}
    with st.container(key="two"):
        for column, (letter, side_map) in zip(st.columns(2), maps.items(), strict=True):
            with column:
                st.html(side(letter, side_map.name, side_map.text, lang=side_map.language))
                show_heatmap(
                    side_map.map,
                    fig,
                    side_map.labels,
                    weight_title=weight_title,
                    key=f"two.{letter.lower()}",
                    about=f"{fig.title}. {side_map.name}.",
                    limit=limit,
                    causal=causal,
                    normalised=normalised,
                    sums=False,
                    scaled=letter == "B",
                    low=True,
                )
        if apart:
            st.caption(apart)  # a projector does not show it
        else:
            difference = Side(tr("two.difference"), first.map - second.map, first.labels)
            maps["A minus B"] = difference
            divergence = jensen_shannon(first.map, second.map) if normalised else None
            _show_difference(difference, divergence, fig, tr, limit=limit, causal=causal)
    fig.numbers(
        lambda: {name: map_table(side_map.map, side_map.labels) for name, side_map in maps.items()}
    )


def _show_difference(
    difference: Side,
    divergence: npt.NDArray[np.float32] | None,
    fig: Figure,
    tr: Translator,
    *,
    limit: float,
    causal: bool,
) -> None:
    """Show first minus second as a map, with a summary in words.

    Args:
        difference: (T, S) numbers in [-limit, limit].
        divergence: (T,) divergence of each row in bits; None if rows do not sum to 1.
        fig, tr: as for ``show_two``.
        limit, causal: as for ``show_heatmap``.
    """
    picture_column, words_column = st.columns([3, 2])
    with picture_column:
        st.html(side(_DIFFERENCE, difference.name, "", lang=None))
        show_heatmap(
            difference.map,
            fig,
            difference.labels,
            weight_title=_DIFFERENCE,
            key="two.difference",
            about=f"{fig.title}. {difference.name}.",
            row_notes=[] if divergence is None else [f"JS {bits:.2f}" for bits in divergence],
            limit=limit,
            causal=causal,
            signed=True,
        )
    with words_column:
        _show_difference_in_words(difference, divergence, tr)


def _show_difference_in_words(
    difference: Side, divergence: npt.NDArray[np.float32] | None, tr: Translator
) -> None:
    """Describe in words the largest difference, its sign, and the divergence of the rows."""
    st.markdown(tr("two.sign"))
    rows = difference.labels.rows
    row, column = strongest_cell(np.abs(difference.map))
    value = float(difference.map[row, column])
    largest = tr("two.same")
    if value:
        largest = tr(
            f"two.largest_{'first' if value > 0 else 'second'}",
            row=rows[row],
            column=difference.labels.columns[column],
            amount=f"{abs(value):.4f}",
        )
    st.html(paragraph(largest, kind="largest"))
    if divergence is not None:
        most = int(divergence.argmax())
        text = tr(
            "two.divergence",
            mean=f"{divergence.mean():.3f}",
            most=f"{divergence[most]:.3f}",
            token=rows[most],
        )
        st.html(paragraph(text, kind="divergence"))
