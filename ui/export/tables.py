"""The shown numbers as files that say what they are."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ui.text.languages import Languages

Value = str | bool | int | float | None
Column = Sequence[Any] | npt.NDArray[Any]


class Labels(NamedTuple):
    """What the rows and the columns of a map or of another matrix are called."""

    rows: Sequence[str] = ()  # of a map T visible tokens
    columns: Sequence[str] = ()  # of a map S visible tokens
    languages: Languages = (None, None)  # of the words on both sides, where they are known


@dataclass(frozen=True)
class Table:
    """Rows of cells below named columns; names may repeat, as tokens do."""

    columns: Sequence[str]  # their names
    # each with a cell for every column; None where there is no number, -inf where a mask has put
    # that
    rows: Sequence[Sequence[Value]]

    @classmethod
    def of(cls, **columns: Column) -> Table:
        """A table of columns that are equally long.

        >>> Table.of(token=["a"], weight=np.array([0.5])).rows
        [('a', 0.5)]
        """
        cells = map(_cells, columns.values())
        return cls(list(columns), list(zip(*cells, strict=True)))

    def of_all_rows(self, about: Mapping[str, Value]) -> Table:
        """The same with a column more for each of these, alike in all rows."""
        rows = [[*row, *about.values()] for row in self.rows]
        return Table([*self.columns, *about], rows)


def map_table(numbers: npt.NDArray[np.floating], labels: Labels, *, corner: str = "query") -> Table:
    """A (T, S) map as a table, its tokens on both sides; NaN where there is no number.

    ``corner`` heads the column of row labels.
    """
    rows = zip(labels.rows, numbers, strict=True)
    return Table([corner, *labels.columns], [[token, *map(_cell, row)] for token, row in rows])


def maps_of_heads(weights: npt.NDArray[np.floating], labels: Labels) -> dict[str, Table]:
    """The maps of all heads, (layers, H, T, S), each by its place, counted from 1."""
    return {
        f"layer {layer + 1} head {head + 1}": map_table(weights[layer, head], labels)
        for layer, head in np.ndindex(weights.shape[:2])
    }


def as_csv(tables: Mapping[str, Table]) -> bytes:
    """One table from the first line to the last, as pandas and spreadsheets read it.

    Several tables stand below each other under all their columns; the first column names them. What
    they show is in the JSON file.

    No sign is put before ``-vous`` or ``=x``, though a spreadsheet that opens the file takes them
    for formulas: whatever would stop it (OWASP, "CSV Injection") changes the text that everything
    else reads. The texts are what the visitor typed and the model wrote.
    """
    table = _stacked(tables) if len(tables) > 1 else next(iter(tables.values()))
    sheet = io.StringIO()
    csv.writer(sheet).writerows([table.columns, *table.rows])
    return sheet.getvalue().encode("utf-8-sig")  # without its mark Excel takes é for Ã©


def as_json(tables: Mapping[str, Table], *, about: Mapping[str, object]) -> bytes:
    """The tables and what they show: ``tables[name]`` has ``columns`` and ``rows``."""
    content = {
        **about,
        "tables": {
            name: {"columns": table.columns, "rows": [[*map(_finite, row)] for row in table.rows]}
            for name, table in tables.items()
        },
    }
    return json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False).encode()


def _cells(values: Column) -> Sequence[Value]:
    if isinstance(values, np.ndarray):
        return [*map(_cell, values)] if values.dtype.kind == "f" else [*values.tolist()]
    return values


def _finite(cell: Value) -> Value:
    """JSON has no infinite numbers."""
    return str(cell) if isinstance(cell, float) and math.isinf(cell) else cell


def _cell(number: np.floating) -> float | None:
    """The number with no more digits than its precision has."""
    return None if np.isnan(number) else float(str(number))


def _stacked(tables: Mapping[str, Table]) -> Table:
    """All rows in one table; a cell is empty where its table lacks the column."""
    columns = [column for table in tables.values() for column in numbered(table.columns)]
    places = [*dict.fromkeys(columns)]  # the n-th column of a name: tokens repeat
    rows: list[list[Value]] = []
    for name, table in tables.items():
        mine = numbered(table.columns)
        for row in table.rows:
            cells = dict(zip(mine, row, strict=True))
            rows.append([name, *(cells.get(column) for column in places)])
    return Table(["table", *(name for name, _ in places)], rows)


def numbered(names: Sequence[str]) -> list[tuple[str, int]]:
    """Each name with how often it came before."""
    return [(name, names[:n].count(name)) for n, name in enumerate(names)]
