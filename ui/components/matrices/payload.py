"""Matrices in one blob of bytes: a header, then their numbers as float32, row by row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from ui.components import pack_bytes, text_attributes
from ui.text.languages import Languages
from ui.text.roles import Role

Cell = tuple[int, int, int]  # number of the matrix, row, column
Link = Literal["i:", ":j", "j:", ":i", "ij"]


@dataclass(frozen=True)
class Matrix:
    """One matrix to draw.

    Args:
        values: (rows, columns) numbers; -inf or NaN is a hidden cell and drawn hatched.
        title: its name.
        caption: what stands after the name, for example its shape.
        row_labels: one visible text for each row, or none.
        column_labels: one visible text for each column, or none.
        languages: of the words in the row labels and in the column labels, where they are known.
        scale: ``"signed"`` has one colour on each side of zero, ``"weights"`` goes from 0 to 1.
        limit: value of the strongest colour of a signed scale; None: the largest there is.
        column_groups: heads, into which the columns are cut; must divide their number.
        group: the one that stands out, from 0; None: all do.
        spread: pull the groups apart.
        role: what it is in attention, which gives its name a colour; words of the text light it.
    """

    values: npt.NDArray[np.floating]
    title: str
    caption: str = ""
    row_labels: Sequence[str] = ()
    column_labels: Sequence[str] = ()
    languages: Languages = (None, None)
    scale: Literal["signed", "weights"] = "signed"
    limit: float | None = None
    column_groups: int = 1
    group: int | None = None
    spread: bool = False
    role: Role | None = None

    def __post_init__(self) -> None:
        if self.values.ndim != 2 or not self.values.size:
            raise ValueError(f"{self.title}: a matrix has two axes, got {self.values.shape}")
        rows, columns = self.values.shape
        for labels, length in ((self.row_labels, rows), (self.column_labels, columns)):
            if len(labels) not in (0, length):
                raise ValueError(f"{self.title}: {len(labels)} labels for {length} of them")
        if columns % self.column_groups:
            raise ValueError(f"{self.title}: {self.column_groups} groups do not divide {columns}")


def pack(
    matrices: Sequence[Matrix],
    *,
    operators: Sequence[str] = (),
    links: Sequence[Link | None] = (),
    picked: Cell | None = None,
    pickable: bool = False,
    largest: int = 44,
    as_table: str = "",
) -> bytes:
    """Everything that the component shows.

    The arguments are those of ``show_matrices``; ``as_table`` is what its tables are called.
    """
    header = {
        "matrices": [_described(matrix) for matrix in matrices],
        "operators": list(operators),
        "links": list(links),
        "picked": picked,
        "pickable": pickable,
        "largest": largest,
        "asTable": as_table,
    }
    numbers = b"".join(matrix.values.astype("<f4").tobytes() for matrix in matrices)
    return pack_bytes(header, numbers)


def _described(matrix: Matrix) -> dict[str, object]:
    return {
        "rows": matrix.values.shape[0],
        "columns": matrix.values.shape[1],
        "title": matrix.title,
        "caption": matrix.caption,
        "rowLabels": list(matrix.row_labels),
        "columnLabels": list(matrix.column_labels),
        **text_attributes(matrix.row_labels, matrix.column_labels, matrix.languages),
        "scale": matrix.scale,
        "limit": _limit(matrix),
        "groups": matrix.column_groups,
        "group": matrix.group,
        "spread": matrix.spread,
        "role": matrix.role,
    }


def _limit(matrix: Matrix) -> float:
    if matrix.limit is not None:
        return matrix.limit
    visible = np.abs(matrix.values[np.isfinite(matrix.values)])
    return float(visible.max(initial=0)) or 1.0
