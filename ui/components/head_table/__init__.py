"""A table of heads. A click on a row opens the head; a click on a column title sorts.

The table is HTML with real buttons, for keyboards and screen readers. Python sorts it.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ui.components import picture_component, sent

_table = picture_component(
    "head_table", "app/head_table/head_table.js", "app/head_table/head_table.css"
)


class Chip(NamedTuple):
    """A tag for one behaviour of a head, such as looking at the previous token."""

    sign: str  # a few letters
    name: str  # meaning of the sign
    says: str  # what was measured
    opens: str = ""  # value that a click on it sends; empty: the click opens the row


class Column(NamedTuple):
    """A column of the table."""

    name: str  # name by which the table is sorted
    title: str  # above the column
    about: str = ""  # explanation, shown when the visitor points at the title


class Row(NamedTuple):
    """A row of the table: one head."""

    name: str  # name that a click on the row sends
    title: str  # text of the first cell
    picture: str  # URL of a picture of its map
    chips: Sequence[Chip]  # tags for its behaviours
    cells: Sequence[str]  # a text for every column of numbers; empty if there is no number
    on_paper: str = ""  # URL of the picture in light colours, if the page is dark


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
    """Show the table of heads.

    Args:
        rows: from top to bottom.
        columns: the column of the heads, the column of their tags, and the columns of numbers.
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
