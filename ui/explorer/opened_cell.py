"""The large map: a cell of it is opened, to see how that number comes about; a row is covered.

A click on the map opens a cell, and two lists in the box of options do so without a mouse. Nothing
of it is computed before.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import streamlit as st

from model.maps.measures import Cell, most_looking, strongest_cell
from model.maps.opened_cell import open_cell
from model.pictures.tokens import display
from model.pictures.web_bundle import WEB
from ui.explorer.attention_map import show_map
from ui.explorer.cell_story import Story
from ui.explorer.view import ExplorerView
from ui.export.figure import about, figure
from ui.frame.controls import select
from ui.frame.page import PAGES
from ui.state.address import ONE_HEAD, SHARED, encode, one_based
from ui.state.codecs import Flag
from ui.state.visitor import visitor
from ui.text.markup import escape_markdown
from ui.text.numbers import share
from ui.text.translator import Translator

ROW, COLUMN = "cell.row", "cell.column"
_COVERED, _REVEALED = "map.hidden_row", "map.revealed"
_NONE = -1
# A cell of such a map is one query and one key of the model, and a weight.
_PLAIN = {"cells": "weights", "unit": "subwords", "special": "shown"}
_ANSWERS = ".cell > li, .st-key-cell-open_head, .st-key-cell-show_plain"  # to a click
_STYLE = WEB / "app" / "opened_cell.css"


def show_reveal(view: ExplorerView, tr: Translator) -> None:
    """Where there is a row that a class guesses, the button that reveals it or covers it again."""
    if view.covered or view.marked:
        st.button(
            tr("map.reveal") if view.covered else tr("map.cover"),
            key="map.reveal",
            type="primary",
            on_click=visitor().set,
            args=({_REVEALED: bool(view.covered)},),
        )


def show_map_and_cell(view: ExplorerView, cell: Cell | None, tr: Translator) -> None:
    """The chosen map, and below it the ``cell`` of it that is open."""
    if cell and cell[0] in view.covered:
        cell = None  # it would say what the class is asked for

    def pick(_: int, *clicked: int) -> None:
        """A second click on the same cell closes it."""
        _open(*((_NONE, _NONE) if clicked == cell else clicked))

    show_map(view, tr, clicked=(0, *cell) if cell else None, on_click=pick, opens=_ANSWERS)
    address = view.address
    if cell is None:
        st.caption(tr("cell.hint"))
    elif any(getattr(address, name) != value for name, value in _PLAIN.items()):
        st.caption(tr("cell.plain"))
        st.button(
            tr("cell.show_plain"), key="cell.show_plain", on_click=visitor().set, args=(_PLAIN,)
        )
    elif view.head is None:
        _offer_head(view, *cell, tr)
    else:
        _show(view, *cell, tr)


def ask_row(view: ExplorerView, tr: Translator, *, drawn: bool) -> int:
    """Which row a class has to guess, from 1; 0 for none."""
    tokens = view.labels.rows
    return select(
        tr("map.hide_row"),
        range(len(tokens) + 1),
        key=_COVERED,
        default=0,
        drawn=drawn,
        format_func=lambda n: f"{n} · {tokens[n - 1]}" if n else tr("map.hide_none"),
        on_change=visitor().set,
        args=({_REVEALED: False},),
        width=180,
    )


def cover_row(view: ExplorerView, row: int) -> ExplorerView:
    """In class: a row is covered, the class says where it looks, and it is revealed and framed.

    Until then its numbers are NaN, in the map as in those of all heads: what is drawn and given
    away of it holds nothing of the row.
    """
    tokens = tuple(map(tuple, view.labels[:2]))
    revealed = visitor().get(_REVEALED, Flag(yes="1", no=""), of=tokens)
    if not row:
        return view
    if revealed:
        return replace(view, marked=[(row - 1, key) for key in range(view.map.shape[1])])
    cells, heads = view.map.copy(), view.heads.copy()
    cells[row - 1] = heads[:, :, row - 1] = np.nan
    return replace(view, map=cells, heads=heads, covered=[row - 1])


def ask_cell(view: ExplorerView, tr: Translator, *, drawn: bool) -> Cell | None:
    """The cell of the map that is open: a click opens one too, and closes it."""
    address, trace = view.address, view.trace
    # Another sentence, or another attention, has other tokens; another head has the same.
    of = (trace.src_tokens, trace.tgt_ids, address.attention, address.unit, address.special)

    def choose(name: str, tokens: Sequence[str]) -> int:
        return select(
            tr(f"cell.{name}"),
            range(_NONE, len(tokens)),
            default=_NONE,
            key=f"cell.{name}",
            drawn=drawn,
            of=of,
            format_func=lambda n: tr("cell.none") if n == _NONE else f"{n + 1} · {tokens[n]}",
            width=180,
        )

    row, column = choose("row", view.labels.rows), choose("column", view.labels.columns)
    if row != _NONE and column != _NONE:
        return row, column
    if drawn:
        left_out = [] if view.sink is None else [view.sink]
        best = strongest_cell(np.nan_to_num(view.map), left_out)
        st.button(tr("cell.strongest"), key="cell.strongest", on_click=_open, args=best)
    return None


def _open(row: int, column: int) -> None:
    visitor().set({ROW: row, COLUMN: column})


def _offer_head(view: ExplorerView, row: int, column: int, tr: Translator) -> None:
    """Why a cell of several heads cannot be opened, and the head of which it can."""
    address = view.address
    all_layers = address.view == "layers"
    heads = view.heads if all_layers else view.of_layer[None]
    layer, head = most_looking(heads, row, column)
    weight = heads[layer, head, row, column]
    place = one_based(layer if all_layers else address.place[0], head)
    tokens = escape_markdown(view.labels.rows[row]), escape_markdown(view.labels.columns[column])
    st.caption(tr("cell.several", row=tokens[0], column=tokens[1], weight=share(weight), **place))
    label, there = tr("cell.open_head", **place), {**place, "view": "head"}
    st.button(label, key="cell.open_head", on_click=visitor().set, args=(there,))


def _show(view: ExplorerView, row: int, column: int, tr: Translator) -> None:
    address, (layer, head) = view.address, view.address.place
    cell = open_cell(view.trace, address.attention, layer=layer, head=head, row=row, column=column)
    query, key = view.labels.rows[row], view.labels.columns[column]
    said = {"weight": share(cell.weight)}
    st.header(
        tr("cell.title", row=escape_markdown(query), column=escape_markdown(key), **said),
        anchor=False,
    )
    t, trace = view.model, view.trace
    what = about(t, trace, **address.one_head, row=row + 1, column=column + 1)
    story = Story(cell, view.labels, tr)
    st.button(tr("cell.close"), key="cell.close", on_click=_open, args=(_NONE, _NONE))
    st.html(_STYLE)
    title = tr("cell.title", row=query, column=key, **said)
    with figure("cell", tr, title=title, about=what) as fig:
        fig.numbers(story.tables)
        st.html(story.html())
    _offer_lesson(view, row, column, tr)


def _offer_lesson(view: ExplorerView, row: int, column: int, tr: Translator) -> None:
    """A door to lesson 1 at the same cell, where that lesson has it."""
    address, trace = view.address, view.trace
    greedy = trace.target_origin == "generated" and trace.beam == 1
    if not greedy and address.attention != "encoder_self":
        st.caption(tr("cell.not_in_lesson"))
        return
    picked = "-".join(map(str, ("product", address.place[1], row, column)))
    step = {"qkv.source": "sentence", "qkv.step": "product", "qkv.picked": picked}
    link = encode(address, (*SHARED, *ONE_HEAD)) | step
    st.page_link(PAGES["qkv"], label=tr("cell.lesson"), query_params=link)
    if address.attention != "encoder_self" and view.rows == "written":
        read = display(trace.tgt_tokens)[row]
        st.caption(tr("cell.lesson_rows", token=escape_markdown(read)))
