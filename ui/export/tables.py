"""The numbers of a figure as CSV and JSON files."""

from __future__ import annotations

import csv
import io
import json
import math
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from model.corpora.pairs import Languages
from ui.export.file_name import slug

Value = str | bool | int | float | None
Column = Sequence[Any] | npt.NDArray[Any]


class Labels(NamedTuple):
    """The labels of the rows and columns of a map or of another matrix."""

    rows: Sequence[str] = ()  # T displayed tokens of a map's rows
    columns: Sequence[str] = ()  # S displayed tokens of a map's columns
    languages: Languages = (None, None)  # languages of rows and columns; None if unknown


@dataclass(frozen=True)
class Table:
    """A table with named columns. Names may repeat, because tokens do."""

    columns: Sequence[str]  # their names
    # One cell for every column; None is a missing number, -inf a masked one.
    rows: Sequence[Sequence[Value]]

    @classmethod
    def of(cls, **columns: Column) -> Table:
        """Make a table from columns of equal length, given by name.

        >>> Table.of(token=["a"], weight=np.array([0.5])).rows
        [('a', 0.5)]
        """
        cells = map(_cells, columns.values())
        return cls(list(columns), list(zip(*cells, strict=True)))

    def of_all_rows(self, about: Mapping[str, Value]) -> Table:
        """Return the table with additional columns, which have the same value in all rows.

        ``about`` maps the name of each of these columns to its value.
        """
        rows = [[*row, *about.values()] for row in self.rows]
        return Table([*self.columns, *about], rows)


def map_table(numbers: npt.NDArray[np.floating], labels: Labels, *, corner: str = "query") -> Table:
    """Make a table of a map, with its tokens in the first column and in the column names.

    Args:
        numbers: (T, S); NaN where there is no number.
        labels: T tokens of the rows and S of the columns.
        corner: the name of the first column.
    """
    rows = zip(labels.rows, numbers, strict=True)
    return Table([corner, *labels.columns], [[token, *map(_cell, row)] for token, row in rows])


def maps_of_heads(weights: npt.NDArray[np.floating], labels: Labels) -> dict[str, Table]:
    """Make a table for each head's map in (layers, H, T, S), named "layer 1 head 1" and so on."""
    return {
        f"layer {layer + 1} head {head + 1}": map_table(weights[layer, head], labels)
        for layer, head in np.ndindex(weights.shape[:2])
    }


def as_zip(tables: Mapping[str, Table], stem: str) -> bytes:
    """Return a ZIP archive with a CSV file for each table.

    Args:
        tables: by name.
        stem: how the name of each file begins.
    """
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as files:
        for name, table in tables.items():
            files.writestr(zipfile.ZipInfo(f"{stem}_{slug(name)}.csv"), as_csv(table))
    return archive.getvalue()


def as_csv(table: Table) -> bytes:
    """Return a table as CSV that pandas and spreadsheets can read.

    A spreadsheet may interpret ``-vous`` or ``=x`` as a formula. Such texts are not escaped: every
    method (OWASP, "CSV Injection") changes the text for all other readers of the file. The texts
    were typed by the visitor or written by the model.
    """
    sheet = io.StringIO()
    csv.writer(sheet).writerows([table.columns, *table.rows])
    return sheet.getvalue().encode("utf-8-sig")  # without its byte order mark, Excel shows é as Ã©


def as_json(tables: Mapping[str, Table], *, about: Mapping[str, object]) -> bytes:
    """Return tables and the description of their figure as JSON.

    A CSV file has no description.

    Args:
        tables: by name; in the file, ``tables[name]`` has ``columns`` and ``rows``.
        about: the description; its fields are beside ``tables``.
    """
    json_tables = {}
    for name, table in tables.items():
        rows = [[_finite(cell) for cell in row] for row in table.rows]
        json_tables[name] = {"columns": table.columns, "rows": rows}
    content = {**about, "tables": json_tables}
    return json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False).encode()


def _cells(values: Column) -> Sequence[Value]:
    """Return a column as cells of a table, with no more digits than its dtype holds."""
    if not isinstance(values, np.ndarray):
        return values
    if values.dtype.kind == "f":
        return [_cell(number) for number in values]
    return list(values.tolist())


def _finite(cell: Value) -> Value:
    """Convert an infinite number to a text, because JSON has no infinite numbers."""
    return str(cell) if isinstance(cell, float) and math.isinf(cell) else cell


def _cell(number: np.floating) -> float | None:
    """Return a number with no more digits than its precision allows; None for NaN."""
    return None if np.isnan(number) else float(str(number))


def numbered(names: Sequence[str]) -> list[tuple[str, int]]:
    """Return each name with the number of times that it occurred before."""
    return [(name, names[:n].count(name)) for n, name in enumerate(names)]
