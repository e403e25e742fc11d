"""A table of heads: a click in a row opens the head, a click on a column's name sorts by it.

The table is HTML with real buttons, for keys and screen readers. Python sorts it.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ui.components import canvas_component, sent

_table = canvas_component(
    "head_table", "app/head_table/head_table.js", "app/head_table/head_table.css"
)


class Chip(NamedTuple):
    """One thing that a head does."""

    sign: str  # a few letters
    name: str  # what they mean
    says: str  # what was measured
    opens: str = ""  # what a click on it sends back; empty: the row is opened


class Column(NamedTuple):
    """A column."""

    name: str  # by which the table is sorted
    title: str  # above the column
    about: str = ""  # shown when the visitor points at the title


class Row(NamedTuple):
    """A head."""

    name: str  # by which it is opened
    title: str  # the first cell of its row
    picture: str  # URL of a picture of its map
    chips: Sequence[Chip]  # what it does
    cells: Sequence[str]  # a text for every column of numbers; empty if there is no number


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
    """Show the table.

    Args:
        rows: from top to bottom.
        columns: the column of the heads, that of what they do, and those of numbers.
        sorted_by: name of the column by which the rows are sorted.
        down: whether the largest number comes first.
        label: what the table is, for a screen reader.
        key: of the component.
        on_sort: called with the name of a column that was clicked.

    Returns:
        What was just clicked: the name of a row, or what a chip opens; None if nothing was.
    """

    def clicked() -> None:
        if (name := sent(key)) in [column.name for column in columns]:
            on_sort(name)

    data = {
        "columns": [column._asdict() for column in columns],
        "rows": [row._asdict() for row in rows],
        "sorted": sorted_by,
        "down": down,
        "label": label,
    }
    name = _table(key=key, data=data, on_click_change=clicked).click
    names = {row.name for row in rows} | {chip.opens for row in rows for chip in row.chips}
    return name if isinstance(name, str) and name in names else None
