"""Clicks on the large map: which cell lies under the pointer.

The chart itself is not asked: as a control of Streamlit's it would wait a sixth of a second before
it says anything, and say nothing of a second click on the same cell.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import streamlit as st

from model.pictures.offline_page import front_end
from model.pictures.text import direction
from ui.components import sent
from ui.components.own_files import module

_JS, _ = front_end(folder=Path(__file__).parent)
_clicks = st.components.v2.component("map_clicks", js=module("map_clicks", _JS))


def map_clicks(
    n_rows: int,
    keys: Sequence[str],
    *,
    key: str,
    opened: tuple[int, int] | None,
    on_pick: Callable[[int, int], None],
) -> None:
    """Listen to clicks on the page's large map; nothing is drawn.

    Args:
        n_rows: T.
        keys: S visible tokens, as the map has them.
        opened: the cell that is open; where a click has opened it, it is scrolled to.
        on_pick: called with row and column, from 0.
    """

    def picked() -> None:
        match sent(key):
            case [int(row), int(column)] if 0 <= row < n_rows and 0 <= column < len(keys):
                on_pick(row, column)

    data = {
        "shape": [n_rows, len(keys)],
        "direction": direction(keys),
        "open": opened and list(opened),
    }
    _clicks(key=key, data=data, on_pick_change=picked, height="content")
