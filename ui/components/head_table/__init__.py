"""A table of heads: a click anywhere in a row opens it, one on a column's name sorts by it.

It is HTML, so keys and screen readers meet rows, cells and real buttons. Sorting happens in Python.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ui.components import canvas_component, sent

_table = canvas_component(
    "head_table", "app/head_table/head_table.js", "app/head_table/head_table.css"
)


class Chip(NamedTuple):
    """One thing that a head does: a few letters, what they stand for, what was measured."""

    sign: str
    name: str
    says: str
    opens: str = ""  # what a click on it sends back; empty: the row is opened


class Column(NamedTuple):
    """A column: by which name it is sorted, what stands above it, and what is shown on hover."""

    name: str
    title: str
    about: str = ""


class Row(NamedTuple):
    """A head."""

    name: str  # by which it is opened
    title: str  # what stands first in its row
    picture: str  # of its map, the URL
    chips: Sequence[Chip]  # what it does
    cells: Sequence[str]  # a text for every column of numbers; empty where there is none


def head_table(
    rows: Sequence[Row],
    columns: Sequence[Column],
    *,
    sorted_by: str,
    down: bool,
    label: str,
    key: str,
    on_sort: Callable[[str], None],
) -> str | None:
    """Show it; returns what was just clicked on: the name of a row, or what a chip opens.

    Args:
        rows: in the order in which they stand.
        columns: that of the heads, that of what they do, and those of numbers.
        sorted_by, on_sort: of and with the name of a column; ``down``: the largest comes first.
    """

    def picked() -> None:
        if (pick := sent(key)) in [column.name for column in columns]:
            on_sort(pick)

    data = {
        "columns": [column._asdict() for column in columns],
        "rows": [row._asdict() for row in rows],
        "sorted": sorted_by,
        "down": down,
        "label": label,
    }
    pick = _table(key=key, data=data, on_pick_change=picked).pick
    names = {row.name for row in rows} | {chip.opens for row in rows for chip in row.chips}
    return pick if isinstance(pick, str) and pick in names else None
