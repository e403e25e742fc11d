"""Open a cell of the large map: how one number of the model comes about.

A click on the map opens a cell, and two lists do so without a mouse. Nothing of it is computed
before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import streamlit as st

from model.maps.measures import most_looking, strongest_cell
from model.maps.opened_cell import open_cell
from model.pictures.tokens import display
from ui.components.map_clicks import map_clicks
from ui.explorer.attention_map import show_map
from ui.explorer.cell_story import Story
from ui.explorer.view import ChosenView
from ui.export.figure import figure
from ui.export.provenance import about
from ui.frame.controls import pick
from ui.frame.page import PAGES
from ui.state.address import counted, encode
from ui.state.choices import change
from ui.text.markup import as_typed
from ui.text.numbers import share
from ui.text.translator import Translator

ROW, COLUMN = "cell.row", "cell.column"
_MAP = "cell.map"  # of which map the cell is
_NONE = -1
_STYLE = Path(__file__).parent / "cell.css"
Cell = tuple[int, int]  # row and column, from 0


def show_map_and_cell(shown: ChosenView, tr: Translator) -> None:
    """The chosen map, and below it the cell of it that is open."""
    _close_on_another_map(shown)
    with st.container(key="map-and-cell"):
        above, controls = st.container(), st.container(horizontal=True, vertical_alignment="bottom")
        cell = _choose(shown, controls, tr)
        if cell and cell[0] in shown.covered:
            cell = None  # it would say what the class is asked for
        with above:
            show_map(replace(shown, marked=[*shown.marked, cell]) if cell else shown, tr)
        map_clicks(
            len(shown.query_tokens),
            shown.key_tokens,
            key="cell.clicks",
            opened=cell,
            on_pick=partial(_toggle, cell),
        )
    if cell is None:
        st.caption(tr("cell.hint"))
    elif not _is_plain(shown):
        _offer_plain(tr)
    elif shown.head is None:
        _offer_head(shown, *cell, tr)
    else:
        _show(shown, *cell, tr)


def _choose(
    shown: ChosenView, place: st.delta_generator.DeltaGenerator, tr: Translator
) -> Cell | None:
    """The cell that the two lists say; None where one of them says none."""
    with place:
        lists = (("row", shown.query_tokens), ("column", shown.key_tokens))
        row, column = (
            pick(
                tr(f"cell.{name}"),
                range(_NONE, len(tokens)),
                default=_NONE,
                key=f"cell.{name}",
                format_func=partial(_name, tokens, tr),
                width=180,
            )
            for name, tokens in lists
        )
        if row == _NONE or column == _NONE:
            left_out = [] if shown.sink is None else [shown.sink]
            best = strongest_cell(np.nan_to_num(shown.map), left_out)
            st.button(tr("cell.strongest"), key="cell.strongest", on_click=_open, args=best)
            return None
        st.button(tr("cell.close"), key="cell.close", on_click=_open, args=(_NONE, _NONE))
    return row, column


def _name(tokens: Sequence[str], tr: Translator, place: int) -> str:
    return tr("cell.none") if place == _NONE else f"{place + 1} · {tokens[place]}"


def _open(row: int, column: int) -> None:
    st.session_state.update({ROW: row, COLUMN: column})


def _toggle(now: Cell | None, row: int, column: int) -> None:
    """What a click does: a second one on the same cell closes it."""
    _open(*((_NONE, _NONE) if now == (row, column) else (row, column)))


def _close_on_another_map(shown: ChosenView) -> None:
    """Another sentence, or another attention, has other tokens; another head has the same."""
    address, trace = shown.address, shown.trace
    tokens = (trace.src_tokens, trace.tgt_ids, address.attention, address.unit, address.special)
    if st.session_state.get(_MAP, tokens) != tokens:
        for key in (ROW, COLUMN):
            if key in st.session_state:  # what a link says comes later, and counts
                st.session_state[key] = _NONE
    st.session_state[_MAP] = tokens


def _is_plain(shown: ChosenView) -> bool:
    """Whether a cell of the map is one query and one key of the model, and a weight."""
    address = shown.address
    return (address.cells, address.unit, address.special) == ("weights", "subwords", "shown")


def _offer_plain(tr: Translator) -> None:
    st.caption(tr("cell.plain"))
    plain = {"cells": "weights", "unit": "subwords", "special": "shown"}
    st.button(tr("cell.show_plain"), key="cell.show_plain", on_click=change, kwargs=plain)


def _offer_head(shown: ChosenView, row: int, column: int, tr: Translator) -> None:
    """Why a cell of several heads cannot be opened, and the head of which it can."""
    address = shown.address
    all_layers = address.view == "layers"
    heads = shown.heads if all_layers else shown.of_layer[None]
    layer, head = most_looking(heads, row, column)
    weight = heads[layer, head, row, column]
    place = counted(layer if all_layers else address.place[0], head)
    tokens = as_typed(shown.query_tokens[row]), as_typed(shown.key_tokens[column])
    st.caption(tr("cell.several", row=tokens[0], column=tokens[1], weight=share(weight), **place))
    st.button(
        tr("cell.open_head", **place),
        key="cell.open_head",
        on_click=change,
        kwargs={**place, "view": "head"},
    )


def _show(shown: ChosenView, row: int, column: int, tr: Translator) -> None:
    address, (layer, head) = shown.address, shown.address.place
    cell = open_cell(shown.trace, address.attention, layer=layer, head=head, row=row, column=column)
    query, key = shown.query_tokens[row], shown.key_tokens[column]
    said = {"weight": share(cell.weight)}
    st.header(tr("cell.title", row=as_typed(query), column=as_typed(key), **said), anchor=False)
    what = about(
        shown.model,
        shown.trace,
        attention=address.attention,
        layer=address.layer,
        head=address.head,
        row=row + 1,
        column=column + 1,
    )
    story = Story(cell, query, shown.key_tokens, shown.languages, tr)
    st.html(_STYLE)
    title = tr("cell.title", row=query, column=key, **said)
    with figure("cell", tr, title=title, about=what) as part:
        part.numbers(story.tables)
        st.html(story.html())
    _offer_lesson(shown, row, column, tr)


def _offer_lesson(shown: ChosenView, row: int, column: int, tr: Translator) -> None:
    """A door to lesson 1 at the same cell, where that lesson has it."""
    address, trace = shown.address, shown.trace
    greedy = trace.target_origin == "generated" and trace.beam == 1
    if not greedy and address.attention != "encoder_self":
        st.caption(tr("cell.not_in_lesson"))
        return
    kept = ("sentence", "checkpoint", "attention", "layer", "head")
    place = "-".join(map(str, (address.place[1], row, column)))
    link = encode(address, kept) | {
        "qkv.source": "sentence",
        "qkv.step": "product",
        "qkv.picked": f"product-{place}",
    }
    st.page_link(PAGES["qkv"], label=tr("cell.lesson"), query_params=link)
    if address.attention != "encoder_self" and address.rows == "written":
        read = display(trace.tgt_tokens)[row]
        st.caption(tr("cell.lesson_rows", token=as_typed(read)))
