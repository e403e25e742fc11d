"""The order of the rows: by what a column says, heads without a number last. Pure: no Streamlit."""

from __future__ import annotations

from collections.abc import Sequence

from model.heads.kinds import HEAD_KINDS
from ui.heads.catalogue import MEASURES, HeadRow

HEAD, DOES = "head", "does"
ORDERS = (HEAD, DOES, *MEASURES)


def begins_down(name: str) -> bool:
    """Whether the first click puts the largest number first, and not the smallest."""
    return name not in (HEAD, DOES) and not MEASURES[name].small_first


def in_order(rows: Sequence[HeadRow], name: str, *, down: bool) -> list[HeadRow]:
    """The rows by one of ``ORDERS``; where that says the same they stay as they were.

    Args:
        rows: layer by layer.
        name: of the column.
        down: whether the largest comes first.
    """
    if name == HEAD:
        return [*reversed(rows)] if down else [*rows]
    values = [(_value(row, name), row) for row in rows]
    known = [(value, row) for value, row in values if value is not None]
    known.sort(key=lambda pair: pair[0], reverse=down)
    return [row for _, row in known] + [row for value, row in values if value is None]


def _value(row: HeadRow, name: str) -> tuple[float, ...] | None:
    """What is compared; of what heads do the kind, and within it the number."""
    if name == DOES:
        first = row.kinds[:1]
        return next(((HEAD_KINDS.index(one.kind), -one.number) for one in first), None)
    number = row.numbers[name]
    return None if number is None else (number,)
