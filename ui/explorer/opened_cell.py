"""The large map with an opened cell: it shows how the weight of this cell is computed.

A click on the map opens a cell; two lists in the options open one without a mouse. Nothing is
computed before a cell is opened.
"""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from model.maps.measures import Cell, most_looking, strongest_cell
from model.maps.opened_cell import open_cell
from model.pictures.tokens import display
from model.pictures.web_bundle import WEB
from ui.explorer.attention_map import show_map
from ui.explorer.cell_story import Story
from ui.explorer.shown_map import ShownMap
from ui.export.figure import about, figure
from ui.frame.controls import select
from ui.frame.page import PAGES
from ui.state.address import ONE_HEAD, SHARED, encode, one_based
from ui.state.visitor import visitor
from ui.text.markup import escape_markdown, guide
from ui.text.numbers import share
from ui.text.translator import Translator

# Keys of the two lists and of the link in the address.
_ROW = "cell.row"
_COLUMN = "cell.column"
_NONE = -1  # value of a list in which no row or column is chosen
# With these options, each cell of a map belongs to one query and one key of one head.
_PLAIN = {"cells": "weights", "unit": "subwords", "special": "shown"}
# CSS selectors of what a click on the map shows below it.
_ANSWERS = ".cell > li, .st-key-cell-open_head, .st-key-cell-show_plain"
_STYLE = WEB / "app" / "opened_cell.css"


def ask_cell(shown: ShownMap, tr: Translator, *, drawn: bool) -> Cell | None:
    """Ask which cell of the map to open. A click on the map also opens or closes a cell.

    Args:
        shown: the large map.
        tr: the visitor's language.
        drawn: as for ``choose``.

    Returns:
        Row and column, from 0; None if no cell is open.
    """
    # Close the cell if the tokens change, but not if only the head changes.
    address = shown.address
    trace = shown.trace
    tokens = (trace.src_tokens, trace.tgt_ids, address.attention, address.unit, address.special)

    def ask(key: str, label: str, labels: Sequence[str]) -> int:
        """Ask for a row or a column.

        Args:
            key: of the control.
            label: of the control.
            labels: the tokens of the rows or columns.

        Returns:
            The number from 0; ``_NONE`` if no cell is open.
        """
        return select(
            label,
            range(_NONE, len(labels)),
            default=_NONE,
            key=key,
            drawn=drawn,
            subject=tokens,
            format_func=lambda n: tr("cell.none") if n == _NONE else f"{n + 1} · {labels[n]}",
            width=180,
        )

    row = ask(_ROW, tr("cell.row"), shown.labels.rows)
    column = ask(_COLUMN, tr("cell.column"), shown.labels.columns)
    if row != _NONE and column != _NONE:
        return row, column
    if drawn:
        left_out = [] if shown.sink is None else [shown.sink]
        strongest = strongest_cell(np.nan_to_num(shown.map), left_out)
        st.button(tr("cell.strongest"), key="cell.strongest", on_click=_open, args=strongest)
    return None


def show_map_and_cell(shown: ShownMap, cell: Cell | None, tr: Translator) -> None:
    """Show the selected map, and below it the opened cell or a hint how to open one.

    Args:
        shown: the map.
        cell: as ``ask_cell`` returned it.
        tr: the visitor's language.
    """
    if cell and cell[0] in shown.covered:
        cell = None  # an opened cell would reveal the covered row

    def on_click(_: int, row: int, column: int) -> None:
        """Open the clicked cell. A second click on this cell closes it.

        Args:
            _: number of the matrix; there is only one.
            row: row of the clicked cell, from 0.
            column: its column, from 0.
        """
        if (row, column) == cell:
            _open(_NONE, _NONE)
        else:
            _open(row, column)

    clicked = (0, *cell) if cell else None
    show_map(shown, tr, clicked=clicked, on_click=on_click, opens=_ANSWERS)
    if cell is None:
        st.html(guide("", tr("cell.hint")))
    elif any(getattr(shown.address, name) != value for name, value in _PLAIN.items()):
        st.caption(tr("cell.plain"))
        st.button(
            tr("cell.show_plain"), key="cell.show_plain", on_click=visitor().set, args=(_PLAIN,)
        )
    elif shown.head is None:
        _offer_head(shown, cell, tr)
    else:
        _show(shown, cell, tr)


def _open(row: int, column: int) -> None:
    """Open a cell, counted from 0; ``_NONE`` twice closes it. Called on a click."""
    visitor().set({_ROW: row, _COLUMN: column})


def _offer_head(shown: ShownMap, cell: Cell, tr: Translator) -> None:
    """Say why a cell of combined heads cannot be opened, and offer a single head."""
    row, column = cell
    if shown.address.view == "layers":
        layer, head = most_looking(shown.heads, row, column)
    else:
        layer, _ = shown.address.layer_and_head
        _, head = most_looking(shown.heads_of_layer[None], row, column)
    head_numbers = one_based(layer, head)
    st.caption(
        tr(
            "cell.several",
            row=escape_markdown(shown.labels.rows[row]),
            column=escape_markdown(shown.labels.columns[column]),
            weight=share(shown.heads[layer, head, row, column]),
            **head_numbers,
        )
    )
    st.button(
        tr("cell.open_head", **head_numbers),
        key="cell.open_head",
        on_click=visitor().set,
        args=({**head_numbers, "view": "head"},),
    )


def _show(shown: ShownMap, cell: Cell, tr: Translator) -> None:
    """Show how the number of a cell is computed, with a link to the lesson about it."""
    t = shown.model
    trace = shown.trace
    address = shown.address
    layer, head = address.layer_and_head
    row, column = cell
    opened = open_cell(
        trace,
        address.attention,
        layer=layer,
        head=head,
        row=row,
        column=column,
        scaling=t.config.scaling,
    )
    query = shown.labels.rows[row]
    key = shown.labels.columns[column]
    weight = share(opened.weight)

    heading = tr(
        "cell.title", row=escape_markdown(query), column=escape_markdown(key), weight=weight
    )
    st.header(heading, anchor=False)
    st.button(tr("cell.close"), key="cell.close", on_click=_open, args=(_NONE, _NONE))
    st.html(_STYLE)
    story = Story(opened, shown.labels, tr)
    description = about(t, trace, **address.one_head, row=row + 1, column=column + 1)
    title = tr("cell.title", row=query, column=key, weight=weight)
    with figure("cell", tr, title=title, about=description) as fig:
        fig.numbers(story.tables)
        st.html(story.html())
    if t.is_paper:
        _offer_lesson(shown, cell, tr)


def _offer_lesson(shown: ShownMap, cell: Cell, tr: Translator) -> None:
    """Link to this cell in lesson 1, if the lesson has this cell."""
    address = shown.address
    trace = shown.trace
    is_greedy = trace.target_origin == "generated" and trace.beam == 1
    if not is_greedy and address.attention != "encoder_self":
        st.caption(tr("cell.not_in_lesson"))
        return
    row, column = cell
    _, head = address.layer_and_head
    link = {
        **encode(address, (*SHARED, *ONE_HEAD)),
        "qkv.source": "sentence",
        "qkv.step": "product",
        "qkv.picked": f"product-{head}-{row}-{column}",
    }
    st.page_link(PAGES["qkv"], label=tr("cell.lesson"), query_params=link)
    if address.attention != "encoder_self" and shown.rows == "written":
        token = display(trace.tgt_tokens)[row]
        st.caption(tr("cell.lesson_rows", token=escape_markdown(token)))
