"""Matrices as pictures: side by side, with their numbers where these fit, cells to be picked."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ui.components import canvas_component, sent
from ui.components.matrices.payload import Cell, Link, Matrix, pack
from ui.export.figure import Figure
from ui.export.tables import Table, map_table

__all__ = ["Link", "Matrix", "show_matrices"]

_matrices = canvas_component("matrices", "matrices")


def show_matrices(
    matrices: Sequence[Matrix],
    shown: Figure,
    *,
    key: str,
    operators: Sequence[str] = (),
    links: Sequence[Link | None] = (),
    picked: Cell | None = None,
    on_pick: Callable[[int, int, int], None] | None = None,
    largest: int = 44,
) -> None:
    """Draw matrices in a row, or one below the other where the page is narrow.

    Args:
        matrices: left to right; the last one is the result of those before.
        shown: the figure that they are a part of.
        key: the component's key.
        operators: what stands between neighbours, such as ``"·"`` and ``"="``.
        links: for every matrix but the last, which part of it makes cell (i, j) of the last:
            ``"i:"`` row i, ``":j"`` column j, ``"j:"`` row j, ``":i"`` column i, ``"ij"`` the
            same cell. It is outlined with the cell.
        picked: the cell that is outlined; its matrix, row and column, from 0.
        on_pick: called with matrix, row and column before the page runs again; without it cells
            cannot be picked. Arrow keys and Enter pick too.
        largest: pixels of a cell, at most.
    """

    def changed() -> None:
        cell = _cell(sent(key), matrices)
        if cell and on_pick:
            on_pick(*cell)

    data = pack(
        matrices,
        operators=operators,
        links=links,
        picked=picked,
        pickable=on_pick is not None,
        largest=largest,
        as_table=shown.as_table,
    )
    _matrices(key=key, data=data, on_pick_change=changed)
    shown.draws(lambda: {matrix.title: _table(matrix) for matrix in matrices})


def _table(matrix: Matrix) -> Table:
    rows, columns = (map(str, range(size)) for size in matrix.values.shape)
    return map_table(
        matrix.values,
        corner=matrix.title,
        query_tokens=matrix.row_labels or [*rows],
        key_tokens=matrix.column_labels or [*columns],
    )


def _cell(pick: object, matrices: Sequence[Matrix]) -> Cell | None:
    """A cell of one of these matrices, or nothing."""
    match pick:
        case [int(matrix), int(row), int(column)] if matrix in range(len(matrices)):
            rows, columns = matrices[matrix].values.shape
            if row in range(rows) and column in range(columns):
                return matrix, row, column
    return None
