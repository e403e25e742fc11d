"""In class: a row of the map is covered, the class says where it looks, and it is revealed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import streamlit as st

from ui.explorer.view import ChosenView
from ui.frame.controls import pick
from ui.state.link import is_revealed, reveal
from ui.text.translator import Translator

_ROW, _REVEALED = "map.hidden_row", "map.revealed"


def ask_for_row(shown: ChosenView, tr: Translator) -> ChosenView:
    """Choose a row to hide.

    Returns:
        The same with that row framed. Until it is revealed its numbers are NaN, in the map as in
        those of all heads: what is drawn and given away of it then holds nothing of the row.
    """
    tokens = shown.query_tokens
    with st.container(horizontal=True, vertical_alignment="bottom", key="hidden_row"):
        row = pick(
            tr("map.hide_row"),
            range(len(tokens) + 1),
            key=_ROW,
            default=0,
            format_func=lambda n: f"{n} · {tokens[n - 1]}" if n else tr("map.hide_none"),
            on_change=reveal,
            args=(_REVEALED, False),
            width=240,
        )
        revealed = is_revealed(_REVEALED, (tuple(tokens), tuple(shown.key_tokens)))
        if not row:
            return shown
        st.button(
            tr("map.cover") if revealed else tr("map.reveal"), key="map.reveal", type="primary",
            on_click=reveal, args=(_REVEALED, not revealed),
        )  # fmt: skip
    return framed(shown, row - 1) if revealed else covered(shown, row - 1)


def framed(shown: ChosenView, row: int) -> ChosenView:
    """The same with a frame around each cell of a row, from 0."""
    return replace(shown, marked=[(row, key) for key in range(shown.map.shape[1])])


def covered(shown: ChosenView, row: int) -> ChosenView:
    """The same without any number of a row, from 0."""
    cells, heads = shown.map.copy(), shown.heads.copy()
    cells[row] = heads[:, :, row] = np.nan
    return replace(shown, map=cells, heads=heads, covered=[row])
