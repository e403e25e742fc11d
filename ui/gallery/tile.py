"""A small map with its words as a picture: an SVG in a data URL. Pure: no Streamlit."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
import numpy.typing as npt

from ui.charts.text_width import text_width, widest

_CELL = 20  # of the picture's own units, as all below
_TYPE = 12
_LEAN = 0.77  # of a label's length that it goes up, and, a little less, to the right
_LONGEST = 12  # letters of a label


@dataclass(frozen=True)
class Colours:
    """Of the visitor's theme, as ``#rrggbb``.

    Args:
        scale: from 0 to 1.
        text: of the labels.
        mark: round the cells to look at.
    """

    scale: tuple[str, ...]
    text: str
    mark: str


def tile(
    weights: npt.NDArray[np.floating],
    *,
    rows: Sequence[str],
    columns: Sequence[str],
    cells: Sequence[tuple[int, int]],
    colours: Colours,
) -> str:
    """Draw a map; its labels are part of the picture.

    Args:
        weights: (T, S), in [0, 1].
        rows: T visible tokens.
        columns: S visible tokens.
        cells: (row, column) of those with a frame.
        colours: of the theme.
    """
    rows, columns = (
        [word if len(word) <= _LONGEST else f"{word[: _LONGEST - 1]}…" for word in words]
        for words in (rows, columns)
    )
    left = widest(rows, _TYPE) + 10
    top = _LEAN * widest(columns, _TYPE) + 12
    ends = (_CELL * (n + 1) + _LEAN * text_width(word, _TYPE) for n, word in enumerate(columns))
    width, height = left + max(ends) + 2, top + _CELL * len(rows) + 2
    parts = [
        *(_row_label(word, left - 5, top + _CELL * (n + 0.7)) for n, word in enumerate(rows)),
        *(
            _column_label(word, left + _CELL * (n + 0.55), top - 5)
            for n, word in enumerate(columns)
        ),
        *(
            _rectangle(left, top, cell, f'fill="{_colour(float(weight), colours.scale)}"')
            for cell, weight in np.ndenumerate(weights)
        ),
        *(
            _rectangle(left, top, cell, f'fill="none" stroke="{colours.mark}" stroke-width="2.5"')
            for cell in cells
        ),
    ]
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" font-family="system-ui, sans-serif" '
        f'font-size="{_TYPE}" fill="{colours.text}">{"".join(parts)}</svg>'
    )
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"


def _row_label(word: str, x: float, y: float) -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="end">{escape(word)}</text>'


def _column_label(word: str, x: float, y: float) -> str:
    return f'<text transform="translate({x:.0f} {y:.0f}) rotate(-50)">{escape(word)}</text>'


def _rectangle(left: float, top: float, cell: tuple[int, ...], how: str) -> str:
    row, column = cell
    place = f'x="{left + _CELL * column + 1:.0f}" y="{top + _CELL * row + 1:.0f}"'
    return f'<rect {place} width="{_CELL - 2}" height="{_CELL - 2}" rx="2" {how}/>'


def _colour(weight: float, scale: Sequence[str]) -> str:
    """Between the two colours of the scale that the weight lies between."""
    stops = np.array([[int(colour[at : at + 2], 16) for at in (1, 3, 5)] for colour in scale])
    place = min(max(weight, 0.0), 1.0) * (len(scale) - 1)
    mixed = [np.interp(place, range(len(scale)), stops[:, part]) for part in range(3)]
    return "#" + "".join(f"{round(float(part)):02x}" for part in mixed)
