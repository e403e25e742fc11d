"""Draw the maps of all heads as one SVG: a row for each layer, a small map for each head."""

from collections.abc import Iterator, Sequence
from html import escape

import numpy as np
import numpy.typing as npt

from model.pictures.colours import OF_PICTURES, Colours, Theme
from model.pictures.map_svg import OVERLAP, check_map, legend
from model.pictures.svg import Picture, drawable, svg_document, svg_text, wrapped
from model.pictures.text import direction, text_width

_MARGIN = 16  # pixels around the picture
_GAP = 8  # pixels between two maps
_TILE = 96  # pixels, the longer side of a map
_SMALLEST_CELL = 2  # pixels
_ROW_NAME = 56  # pixels for the name of a layer
_TITLE_SIZE = 16  # pixels, font of the title
_NAME_SIZE = 12  # pixels, font of the names of layers and heads, and of the note
_LINE_HEIGHT = 16  # pixels, of a line of the note
_FAINT = ' opacity="0.75"'


def grid_svg(
    weights: npt.NDArray[np.floating],
    *,
    query_tokens: Sequence[str],
    key_tokens: Sequence[str],
    layers: Sequence[int],
    title: str,
    note: str,
    causal: bool = False,
    limit: float = 1.0,
    measure: str = "weight",
    theme: Theme = "light",
) -> Picture:
    """Draw the maps of all heads of several layers. Rows are queries, columns are keys.

    Args:
        weights: (layers, H, T, S), in [0, limit].
        query_tokens: T labels of the rows. The maps are too small to write them.
        key_tokens: S labels of the columns; they say from which side the columns are read.
        layers: the number of each layer, from 1.
        title: one line above the maps.
        note: below them, in as many lines as it needs.
        causal: cells right of the diagonal were hidden from the model and stay empty.
        limit: the number that gets the strongest colour.
        measure: the name of the number in a cell.
        theme: ``"light"`` or ``"dark"``.

    Returns:
        The picture.

    Raises:
        ValueError: the weights do not fit the labels, or are not in [0, limit].
    """
    n_layers, n_heads, n_rows, n_columns = weights.shape
    shape = (len(layers), n_heads, len(query_tokens), len(key_tokens))
    check_map(weights, shape, 0, limit)
    colours = OF_PICTURES[theme]
    cell = max(_SMALLEST_CELL, _TILE // max(n_rows, n_columns))
    left = _MARGIN + _ROW_NAME
    top = _MARGIN + 48  # below the title and the names of the heads
    step_right = n_columns * cell + _GAP
    step_down = n_rows * cell + _GAP
    bottom = top + n_layers * step_down

    elements = [
        f"<title>{escape(drawable(title))}</title>",
        f"<desc>{escape(drawable(note))}</desc>",
        f'<rect width="100%" height="100%" fill="{colours.paper}"/>',
        svg_text(
            title,
            _MARGIN,
            _MARGIN + _TITLE_SIZE,
            size=_TITLE_SIZE,
            attributes=' font-weight="600"',
        ),
    ]
    for head in range(n_heads):
        x = left + head * step_right
        elements.append(svg_text(f"Head {head + 1}", x, top - 6, size=_NAME_SIZE))
    for row, layer in enumerate(layers):
        y = top + row * step_down
        elements.append(svg_text(f"Layer {layer}", _MARGIN, y + _NAME_SIZE, size=_NAME_SIZE))
        for head in range(n_heads):
            shares = weights[row, head] / limit
            if direction(key_tokens) == "rtl":
                shares = shares[:, ::-1]
            move = f"translate({left + head * step_right} {y})"
            cells = "".join(_cells(shares, cell, colours, causal=causal))
            elements.append(f'<g transform="{move}">{cells}</g>')
    elements += legend(_MARGIN, bottom + 8, colours, limit=limit, measure=measure)

    width = _MARGIN + max(
        left + n_heads * step_right,
        _MARGIN + text_width(title, _TITLE_SIZE),
    )
    lines = wrapped(drawable(note), (width - 2 * _MARGIN) / _NAME_SIZE)
    for n, line in enumerate(lines):
        y = bottom + 48 + _LINE_HEIGHT * n
        elements.append(svg_text(line, _MARGIN, y, size=_NAME_SIZE, attributes=_FAINT))
    height = bottom + 40 + _LINE_HEIGHT * len(lines) + _MARGIN
    label = escape(drawable(title), quote=True)
    attributes = f'role="img" aria-label="{label}" shape-rendering="crispEdges"'
    return Picture(
        svg_document(elements, width, height, colours, attributes),
        width,
        title,
        note,
        numbers=np.asarray(weights),
        rows=tuple(query_tokens),
        columns=tuple(key_tokens),
    )


def _cells(
    shares: npt.NDArray[np.floating], cell: int, colours: Colours, *, causal: bool
) -> Iterator[str]:
    """Yield each cell of a map as an SVG element.

    Args:
        shares: (T, S) in [0, 1], in the order in which the columns are drawn.
        cell: its side in pixels.
        colours: of the picture.
        causal: leave out the cells right of the diagonal.
    """
    side = cell + OVERLAP
    for (row, column), share in np.ndenumerate(shares):
        if causal and column > row:
            continue
        fill = colours.of(min(float(share), 1))
        square = f'x="{column * cell}" y="{row * cell}" width="{side}" height="{side}"'
        yield f'<rect {square} fill="{fill}"/>'
