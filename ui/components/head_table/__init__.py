"""A table of heads: a click anywhere in a row opens it, one on a column's name sorts by it.

It is HTML, so keys and screen readers meet rows, cells and real buttons. Sorting happens in Python.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import NamedTuple

from ui.components import canvas_component, sent

_table = canvas_component("head_table", "table")


class Chip(NamedTuple):
    """One thing that a head does.

    Args:
        sign: a few letters.
        name: what they stand for.
        says: the sentence with what was measured.
    """

    sign: str
    name: str
    says: str


@dataclass(frozen=True)
class Column:
    """A column of numbers.

    Args:
        name: by which it is sorted.
        title: what stands above it.
        about: what the numbers are, shown on hover.
    """

    name: str
    title: str
    about: str = ""


@dataclass(frozen=True)
class Row:
    """A head.

    Args:
        name: by which it is opened.
        title: what stands first in its row.
        picture: of its map, the URL.
        chips: what it does.
        cells: a text for every column of numbers; empty where there is none.
    """

    name: str
    title: str
    picture: str
    chips: Sequence[Chip]
    cells: Sequence[str]


def head_table(
    rows: Sequence[Row],
    *,
    head: Column,
    does: Column,
    columns: Sequence[Column],
    sorted_by: str,
    down: bool,
    label: str,
    key: str,
    on_sort: Callable[[str], None],
) -> str | None:
    """Show it.

    Args:
        rows: in the order in which they stand.
        head: the column of the heads.
        does: the column of what they do.
        columns: those of numbers.
        sorted_by: name of the column that gives the order.
        down: whether its largest number comes first.
        label: what the table is, for a screen reader.
        key: the component's key.
        on_sort: called with the name of a column before the page runs again.

    Returns:
        The name of the row that was just clicked on, or None.
    """
    all_columns = [head, does, *columns]

    def picked() -> None:
        pick = sent(key)
        if isinstance(pick, str) and pick in {column.name for column in all_columns}:
            on_sort(pick)

    data = {
        "columns": [asdict(column) for column in all_columns],
        "rows": [asdict(row) for row in rows],
        "sorted": sorted_by,
        "down": down,
        "label": label,
    }
    pick = _table(key=key, data=data, on_pick_change=picked).pick
    return pick if isinstance(pick, str) and pick in {row.name for row in rows} else None
