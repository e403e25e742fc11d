"""What the download buttons of a page would save."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from model import Trace


@dataclass
class Files:
    """What the buttons of the page would save now, by name; those of one figure are read.

    Args:
        write: name of a file -> makes its bytes.
        name: of the figure that is read.
    """

    write: dict[str, Callable[[], bytes]] = field(default_factory=dict)
    name: str = ""

    def names(self) -> set[str]:
        """Of all figures that were drawn."""
        return {file.removesuffix(".csv") for file in self.write if file.endswith(".csv")}

    def json(self) -> dict:
        return json.loads(self.write[f"{self.name}.json"]())

    def about(self) -> dict:
        """What is said of the numbers."""
        return {name: value for name, value in self.json().items() if name != "tables"}

    def tables(self) -> dict[str, tuple[list, list]]:
        return {name: (t["columns"], t["rows"]) for name, t in self.json()["tables"].items()}

    def numbers(self, name: str) -> np.ndarray:
        """The cells of a map, without its tokens."""
        rows = self.tables()[name][1]
        return np.array([row[1:] for row in rows], dtype=float)

    def column(self, table: str, name: str) -> list:
        columns, rows = self.tables()[table]
        return [row[columns.index(name)] for row in rows]

    def csv(self) -> tuple[dict[str, str], list[list[list[str]]]]:
        """What it is, and the tables without their names."""
        text = self.write[f"{self.name}.csv"]().decode("utf-8-sig")
        blocks: list[list[list[str]]] = [[]]
        for row in csv.reader(io.StringIO(text)):
            if row:
                blocks[-1].append(row)
            else:
                blocks.append([])
        about, *tables = blocks
        if len(tables) > 1:
            assert [table[0] for table in tables] == [[name] for name in self.tables()]
            tables = [table[1:] for table in tables]
        return dict(about), tables


def generated(trace: Trace, **more: object) -> dict[str, object]:
    """What the files say of a translation by the model ``en-fr``, and more."""
    return {
        "checkpoint": "en-fr",
        "sentence": trace.source_text,
        "target": trace.target_text,
        "target_origin": "generated",
        "beam": trace.beam,
    } | more
