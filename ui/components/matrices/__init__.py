"""Pictures of matrices side by side, with numbers if they fit. Cells are clickable."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from ui.components import pack_bytes, picture_component, sent, text_attributes
from ui.export.figure import Figure
from ui.export.tables import Labels, Table, map_table
from ui.text.roles import Role

_matrices = picture_component("matrices", "app/matrices_component.js", "pictures/matrices.css")

_NONE = Labels()
# Fields of a matrix that are sent to the browser unchanged, under the same names.
_AS_THEY_ARE = (
    "groups",
    "group",
    "spread",
    "role",
    "large",
    "sparse",
    "numbered",
    "pattern",
    "scaled",
    "low",
    "notes",
    "frames",
    "covered",
    "asks",
)
Scale = Literal["signed", "weights"]
# Which part of a matrix makes cell (i, j) of the result; see ``show_matrices``.
Link = Literal["i:", ":j", "j:", ":i", "ij"]


@dataclass(frozen=True)
class Matrix:
    """One matrix to draw."""

    # (rows, columns) numbers; a hidden cell is -inf or NaN and is drawn hatched
    values: npt.NDArray[np.floating]
    title: str  # its name
    caption: str = ""  # text after the name, for example the shape
    labels: Labels = _NONE  # one visible text for each row and column; a side may have none
    # colour scale: "signed" for positive and negative numbers, "weights" from zero upwards
    scale: Scale = "signed"
    # value of the strongest colour; None means 1 for weights, otherwise the largest value
    limit: float | None = None
    groups: int = 1  # number of heads into which the columns are divided
    group: int | None = None  # the only head that is not faint, from 0; None: no head is faint
    spread: bool = False  # whether there are gaps between the groups
    # its role in attention, such as query, which sets the colour of the name
    role: Role | None = None
    # whether the matrix fills the width; then its name is a heading of the page
    large: bool = False
    # whether cells of small numbers have no texts, which would hide the others
    sparse: bool = False
    # whether the columns count on, so that only as many as fit have their label
    numbered: bool = False
    # whether only the pattern of its colours matters: columns have no names and cells no texts,
    # which are in the tip and the table
    pattern: bool = False
    scaled: bool = False  # whether it has a colour scale below it
    low: bool = False  # whether its rows are low, because more follows on the same screen
    notes: Sequence[str] = ()  # one text after each row, or no texts
    frames: Sequence[tuple[int, int]] = ()  # (row, column) of cells that have a frame
    covered: Sequence[int] = ()  # rows that are hidden, because a class has to guess them
    # whether the visitor chooses a cell before there are numbers: cells are drawn as empty buttons
    asks: bool = False
    hint: str = ""  # after the caption: what a click does; neither paper nor a file has it

    def __post_init__(self) -> None:
        if self.values.ndim != 2 or not self.values.size:
            raise ValueError(f"{self.title}: a matrix has two axes, got {self.values.shape}")
        rows, columns = self.values.shape
        labelled = (self.labels.rows, rows), (self.labels.columns, columns), (self.notes, rows)
        for labels, length in labelled:
            if len(labels) not in (0, length):
                raise ValueError(f"{self.title}: {len(labels)} labels for {length} of them")
        if columns % self.groups:
            raise ValueError(f"{self.title}: {self.groups} groups do not divide {columns}")


def show_matrices(
    matrices: Sequence[Matrix],
    fig: Figure,
    *,
    key: str,
    operators: Sequence[str] = (),
    links: Sequence[Link | None] = (),
    clicked: tuple[int, int, int] | None = None,
    on_click: Callable[[int, int, int], None] | None = None,
    largest: int = 44,
    widest: int | None = None,
    lowest: int | None = None,
    result_first: bool = False,
    follows: bool = False,
    opens: str = "",
) -> None:
    """Draw matrices side by side, or below each other on a narrow page.

    Args:
        matrices: left to right; the last one is the result of those before.
        fig: the figure that the picture belongs to.
        key: of the component.
        operators: what is written between two matrices, such as ``"·"`` and ``"="``.
        links: for every matrix but the last, which part of it makes cell (i, j) of the last:
            ``"i:"`` row i, ``":j"`` column j, ``"j:"`` row j, ``":i"`` column i, ``"ij"`` the same
            cell. This part is outlined together with the cell.
        clicked: matrix, row and column of the cell that is outlined, from 0.
        on_click: called with matrix, row and column of a clicked cell, or of one that was reached
            by arrow keys and Enter. Without it cells cannot be clicked.
        largest: pixels of a cell, at most.
        widest: pixels of the width of a cell, at most; None: cells are not wider than high.
        lowest: pixels of a row, at least, unless matrices are below each other on a narrow page;
            None: rows are not higher than cells are wide.
        result_first: whether the last matrix comes first where they are below each other.
        follows: whether a head that is clicked in the page's grid is painted here before the
            server answers.
        opens: CSS selector of what a click on a cell opens; it is scrolled into view.
    """

    def changed() -> None:
        match sent(key):
            case [int(matrix), int(row), int(column)] if matrix in range(len(matrices)):
                rows, columns = matrices[matrix].values.shape
                if on_click and row in range(rows) and column in range(columns):
                    on_click(matrix, row, column)

    data = pack(
        matrices,
        operators=list(operators),
        links=list(links),
        clicked=clicked,
        clickable=on_click is not None,
        largest=largest,
        widest=widest or largest,
        lowest=lowest,
        resultFirst=result_first,
        asTable=fig.as_table,
        follows=follows,
        opens=opens,
    )
    _matrices(key=key, data=data, on_click_change=changed)
    fig.draws(lambda: {matrix.title: _table(matrix) for matrix in matrices})


def pack(matrices: Sequence[Matrix], **others: object) -> bytes:
    """Pack matrices as bytes: a header, then float32 numbers, row by row."""
    numbers = b"".join(matrix.values.astype("<f4").tobytes() for matrix in matrices)
    return pack_bytes({"matrices": [*map(_described, matrices)], **others}, numbers)


def _described(matrix: Matrix) -> dict[str, object]:
    """Return what the browser has to know of a matrix besides its numbers, as JSON values."""
    visible = np.abs(matrix.values[np.isfinite(matrix.values)])
    limit = 1.0 if matrix.scale == "weights" else float(visible.max(initial=0)) or 1.0
    return {
        "rows": matrix.values.shape[0],
        "columns": matrix.values.shape[1],
        "title": matrix.title,
        "caption": matrix.caption,
        "hint": matrix.hint,
        "rowLabels": list(matrix.labels.rows),
        "columnLabels": list(matrix.labels.columns),
        **text_attributes(matrix.labels),
        "scale": matrix.scale,
        "limit": limit if matrix.limit is None else matrix.limit,
        **{name: getattr(matrix, name) for name in _AS_THEY_ARE},
    }


def _table(matrix: Matrix) -> Table:
    """Return a matrix as a table. Rows and columns without labels are numbered from 0."""
    rows, columns = (map(str, range(size)) for size in matrix.values.shape)
    names = Labels(matrix.labels.rows or [*rows], matrix.labels.columns or [*columns])
    return map_table(matrix.values, names, corner=matrix.title)
