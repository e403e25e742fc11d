"""The shown numbers as files that say what they are."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Value = str | bool | int | float | None
Column = Sequence[Any] | npt.NDArray[Any]


@dataclass(frozen=True)
class Table:
    """Rows of cells below named columns; names may repeat, as tokens do.

    Args:
        columns: their names.
        rows: each with a cell for every column; None where there is no number, -inf where a mask
            has put that.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[Value]]

    @classmethod
    def of(cls, **columns: Column) -> Table:
        """A table of columns that are equally long.

        >>> Table.of(token=["a"], weight=np.array([0.5])).rows
        [('a', 0.5)]
        """
        return cls.named(columns)

    @classmethod
    def named(cls, columns: Mapping[str, Column]) -> Table:
        """The same, of columns with any names."""
        cells = map(_cells, columns.values())
        return cls(list(columns), list(zip(*cells, strict=True)))


def map_table(
    numbers: npt.NDArray[np.floating],
    *,
    corner: str,
    query_tokens: Sequence[str],
    key_tokens: Sequence[str],
) -> Table:
    """A map as a table, its tokens on both sides.

    Args:
        numbers: (T, S); NaN where there is none.
        corner: what the map is.
        query_tokens: T labels of rows.
        key_tokens: S labels of columns.
    """
    rows = zip(query_tokens, numbers, strict=True)
    return Table([corner, *key_tokens], [[token, *map(_cell, row)] for token, row in rows])


def as_csv(tables: Mapping[str, Table], *, about: Mapping[str, object]) -> bytes:
    """A sheet: first what it is, line by line, then the tables, an empty line before each.

    Of several each begins with a line that says which one it is. A text that a spreadsheet would
    run as a formula gets an apostrophe in front.
    """
    sheet = io.StringIO()
    writer = csv.writer(sheet)
    writer.writerows([name, _inert(_listed(value))] for name, value in about.items())
    for name, table in tables.items():
        writer.writerows([[], [_inert(name)]] if len(tables) > 1 else [[]])
        writer.writerows([_inert(cell) for cell in row] for row in (table.columns, *table.rows))
    return sheet.getvalue().encode("utf-8-sig")


def as_json(tables: Mapping[str, Table], *, about: Mapping[str, object]) -> bytes:
    """The same with exact texts: ``tables[name]`` has ``columns`` and ``rows``."""
    content = {
        **about,
        "tables": {
            name: {"columns": table.columns, "rows": [[*map(_finite, row)] for row in table.rows]}
            for name, table in tables.items()
        },
    }
    return json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False).encode()


def _cells(values: Column) -> Sequence[Value]:
    if not isinstance(values, np.ndarray):
        return values
    if values.dtype.kind != "f":
        cells: list[Value] = values.tolist()
        return cells
    return [_cell(number) for number in values]


def _finite(cell: Value) -> Value:
    """JSON has no infinite numbers."""
    return str(cell) if isinstance(cell, float) and math.isinf(cell) else cell


def _cell(number: np.floating) -> float | None:
    """The number with no more digits than its precision has."""
    return None if np.isnan(number) else float(str(number))


def _listed(value: object) -> object:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else value


def _inert(cell: object) -> object:
    dangerous = isinstance(cell, str) and cell.startswith(("=", "+", "-", "@", "\t", "\r"))
    return f"'{cell}" if dangerous else cell
