"""Read the files that the download buttons of a page would save."""

import json
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from io import BytesIO

import numpy as np
import pandas as pd
import pytest

from model import Trace


@dataclass
class Files:
    """The files that the buttons of a page would save. The methods read those of one figure."""

    # file name -> function that returns the bytes
    write: dict[str, Callable[[], bytes]] = field(default_factory=dict)
    saved_as: dict[str, str] = field(default_factory=dict)  # file name -> name that a visitor sees
    name: str = ""  # name of the figure that is read

    def names(self) -> set[str]:
        """Return the names of all figures that were drawn."""
        return {file.removesuffix(".json") for file in self.write if file.endswith(".json")}

    def json(self, name: str = "") -> dict:
        self.name = name or self.name
        return json.loads(self.write[f"{self.name}.json"]())

    def about(self) -> dict:
        """Return the facts about the numbers."""
        return {name: value for name, value in self.json().items() if name != "tables"}

    def tables(self) -> dict[str, tuple[list, list]]:
        return {name: (t["columns"], t["rows"]) for name, t in self.json()["tables"].items()}

    def numbers(self, name: str) -> np.ndarray:
        """Return the cells of a map, without its tokens."""
        rows = self.tables()[name][1]
        return np.array([row[1:] for row in rows], dtype=float)

    def column(self, table: str, name: str) -> list:
        columns, rows = self.tables()[table]
        return [row[columns.index(name)] for row in rows]

    def csv(self) -> bytes:
        return self.write[f"{self.name}.csv"]()

    def sheet(self, name: str) -> pd.DataFrame:
        return pd.read_csv(BytesIO(self.write[f"{name}.csv"]()))


def generated(trace: Trace, **facts: object) -> dict[str, object]:
    """Return the facts in files about a translation by ``en-fr``, with additional facts."""
    return {
        "checkpoint": "en-fr",
        "sentence": trace.source_text,
        "target": trace.target_text,
        "target_origin": "generated",
        "beam": trace.beam,
    } | facts


def check_csv(content: bytes, tables: Mapping[str, tuple[list, list]]) -> None:
    """Check that pandas reads exactly these tables by default: name -> columns, rows.

    If there are several tables, the file is an archive with one CSV file for each, in this order.
    """
    if len(tables) == 1:
        contents = [content]
    else:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            names = archive.namelist()
            assert len(set(names)) == len(names)
            contents = [archive.read(name) for name in names]
    for file, (columns, rows) in zip(contents, tables.values(), strict=True):
        frame = pd.read_csv(BytesIO(file))
        [head] = pd.read_csv(BytesIO(file), header=None, nrows=1, dtype=str).to_numpy().tolist()
        assert [*map(str, head)] == [*map(str, columns)]
        for row, cells in zip(rows, frame.to_numpy(object), strict=True):
            assert [*map(_as_read, row)] == [*map(_as_read, cells)]


def _as_read(cell: object) -> object:
    """Return a number for the text of a number, and None for an empty cell."""
    if cell is None or cell == "" or cell != cell:
        return None
    try:
        return pytest.approx(float(cell), rel=1e-12, abs=0)
    except ValueError:
        return cell
