"""A small map with its words as a picture: an SVG in a data URL. Pure: no Streamlit."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from html import escape

import numpy as np
import numpy.typing as npt

from model.pictures.colours import Colours
from model.pictures.text_width import text_width, widest

_CELL = 20  # of the picture's own units, as all below
_TYPE = 12
_LEAN = 0.77  # of a label's length that it goes up, and, a little less, to the right
_LONGEST = 12  # letters of a label


def tile(
    weights: npt.NDArray[np.floating],
    *,
    rows: Sequence[str],
    columns: Sequence[str],
    cells: Sequence[tuple[int, int]],
    causal: bool,
    colours: Colours,
) -> str:
    """Draw a map; its labels are part of the picture.

    Args:
        weights: (T, S), in [0, 1].
        rows: T visible tokens.
        columns: S visible tokens.
        cells: (row, column) of those with a frame.
        causal: cells right of the diagonal were hidden from the model and stay empty.
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
            _rectangle(left, top, cell, f'fill="{colours.of(min(float(weight), 1))}"')
            for cell, weight in np.ndenumerate(weights)
            if not causal or cell[1] <= cell[0]
        ),
        *(
            _rectangle(left, top, cell, f'fill="none" stroke="{colours.accent}" stroke-width="2.5"')
            for cell in cells
        ),
    ]
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" font-family="system-ui, sans-serif" '
        f'font-size="{_TYPE}" fill="{colours.ink}">{"".join(parts)}</svg>'
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
