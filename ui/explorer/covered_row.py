"""For a class: cover a row of the map, so that students guess before it is revealed."""

from dataclasses import replace

import numpy as np
import streamlit as st

from ui.explorer.shown_map import ShownMap
from ui.frame.controls import select
from ui.state.codecs import Flag
from ui.state.visitor import visitor
from ui.text.translator import Translator

_ROW = "map.hidden_row"
_REVEALED = "map.revealed"


def ask_row(shown: ShownMap, tr: Translator, *, drawn: bool) -> int:
    """Ask which row of the map to cover.

    Args:
        shown: the large map.
        tr: the visitor's language.
        drawn: as for ``choose``.

    Returns:
        Its number, from 1; 0 for none.
    """
    tokens = shown.labels.rows
    return select(
        tr("map.hide_row"),
        range(len(tokens) + 1),
        key=_ROW,
        default=0,
        drawn=drawn,
        format_func=lambda n: f"{n} · {tokens[n - 1]}" if n else tr("map.hide_none"),
        on_change=visitor().set,
        args=({_REVEALED: False},),
        width=180,
    )


def cover_row(shown: ShownMap, row: int) -> ShownMap:
    """Return the map with the row covered, or framed after it was revealed.

    A covered row is NaN in the large map and in the maps of all heads, so pictures and saved files
    do not contain it.

    Args:
        shown: the large map.
        row: from 1; 0 for none.
    """
    tokens = tuple(map(tuple, shown.labels[:2]))
    is_revealed = visitor().get(_REVEALED, Flag(yes="1", no=""), subject=tokens)
    if row == 0:
        return shown
    if is_revealed:
        return replace(shown, framed=[(row - 1, key) for key in range(shown.map.shape[1])])
    covered_map = shown.map.copy()
    covered_map[row - 1] = np.nan
    heads = shown.heads.copy()
    heads[:, :, row - 1] = np.nan
    return replace(shown, map=covered_map, all=replace(shown.all, heads=heads), covered=[row - 1])


def show_reveal(shown: ShownMap, tr: Translator) -> None:
    """Show the button that reveals or covers the row, if a row is to be guessed."""
    if shown.covered or shown.framed:
        st.button(
            tr("map.reveal") if shown.covered else tr("map.cover"),
            key="map.reveal",
            type="primary",
            on_click=visitor().set,
            args=({_REVEALED: bool(shown.covered)},),
        )
