"""Draw one attention map as SVG. Rows are queries, columns are keys."""

import base64
import math
from collections.abc import Collection, Iterator, Sequence
from html import escape

import numpy as np
import numpy.typing as npt

from model.corpora.pairs import Languages
from model.pictures.colours import OF_PICTURES, Colours, Theme
from model.pictures.svg import (
    Picture,
    drawable,
    language_attributes,
    svg_document,
    svg_text,
    wrapped,
)
from model.pictures.text import direction, shortened, text_width
from model.pictures.tokens import in_full

_MARGIN = 16  # pixels around the picture
_MAP_WIDTH = 480  # pixels of all columns together, if the cells then have a readable size
_CELL_SIZES = (14, 40)  # pixels, smallest and largest cell
_TITLE_SIZE = 16  # pixels, font of the title
_NOTE_SIZE = 12  # pixels, font of the note
_LINE_HEIGHT = 16  # pixels, of a line of the note
# Pixels by which a cell covers its neighbours at the right and below. Programs that show a PDF
# smooth the edge of each cell, so that the paper would shine between cells that only touch.
OVERLAP = 0.5
_LEGEND_WIDTH = 140  # pixels, of the scale of colours
_LEGEND_STEPS = 28  # rectangles of one colour in the scale
_FAINT = ' opacity="0.75"'

# Relative tolerance, because rounding may move a weight slightly out of its range.
_TOLERANCE = 1e-4


def map_svg(
    weights: npt.NDArray[np.floating],
    *,
    query_tokens: Sequence[str],
    key_tokens: Sequence[str],
    title: str,
    note: str,
    languages: Languages = (None, None),
    causal: bool = False,
    limit: float = 1.0,
    measure: str = "weight",
    theme: Theme = "light",
) -> Picture:
    """Draw one map with its title, labels, legend and note.

    Where keys are read from the right, the first column is the rightmost.

    Args:
        weights: (T, S), in [0, limit].
        query_tokens: T labels of the rows, as ``tokens.display`` writes them.
        key_tokens: S labels of the columns.
        title: one line above the map.
        note: below the map, in as many lines as it needs.
        languages: of the query tokens and of the key tokens; None where one is not known.
        causal: cells right of the diagonal were hidden from the model and stay empty.
        limit: the number that gets the strongest colour; 1 for weights.
        measure: the name of the number in a cell, beside the scale of colours.
        theme: ``"light"`` or ``"dark"``.

    Returns:
        The picture.

    Raises:
        ValueError: the weights do not fit the tokens, or are not in [0, limit].
    """
    check_map(weights, (len(query_tokens), len(key_tokens)), 0, limit)
    colours = OF_PICTURES[theme]
    layout = _MapLayout(
        weights,
        query_tokens,
        key_tokens,
        cell=int(np.clip(_MAP_WIDTH / max(weights.shape), *_CELL_SIZES)),
        left_margin=_MARGIN,
        space_above=_MARGIN + 40,  # for the title
        limit=limit,
    )
    width = _MARGIN + max(
        layout.right,
        _MARGIN + text_width(title, _TITLE_SIZE),
        _MARGIN + _LEGEND_WIDTH + 160,  # so that the note of a small map has room
    )
    note_lines = wrapped(drawable(note), (width - 2 * _MARGIN) / _NOTE_SIZE)
    first_baseline = layout.bottom + 56
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
        *layout.labels(languages),
        *layout.cells(colours, causal=causal, tooltips=True),
        *legend(_MARGIN, layout.bottom + 16, colours, limit=limit, measure=measure),
    ]
    for n, line in enumerate(note_lines):
        y = first_baseline + _LINE_HEIGHT * n
        elements.append(svg_text(line, _MARGIN, y, size=_NOTE_SIZE, attributes=_FAINT))
    height = layout.bottom + 44 + _LINE_HEIGHT * len(note_lines) + _MARGIN
    label = escape(drawable(title), quote=True)
    attributes = f'role="img" aria-label="{label}" shape-rendering="crispEdges"'
    svg = svg_document(elements, width, height, colours, attributes)
    return Picture(
        svg,
        width,
        title,
        note,
        numbers=np.asarray(weights),
        rows=tuple(query_tokens),
        columns=tuple(key_tokens),
    )


def check_map(
    weights: npt.NDArray[np.floating], shape: tuple[int, ...], low: float, high: float
) -> None:
    """Check the shape and the range of a map.

    Args:
        weights: (..., T, S).
        shape: which shape they must have.
        low: smallest number allowed.
        high: largest number allowed.

    Raises:
        ValueError: they have a different shape, are empty, or are not all in [low, high].
    """
    if weights.shape != shape or not weights.size:
        raise ValueError(
            f"weights of shape {weights.shape} do not fit {shape[-2]} query tokens "
            f"and {shape[-1]} key tokens"
        )
    is_above_low = weights.min() >= low * (1 + _TOLERANCE)
    is_below_high = weights.max() <= high * (1 + _TOLERANCE)
    if not (is_above_low and is_below_high):  # True for NaN, too
        raise ValueError(
            f"weights must lie in [{low:g}, {high:g}], got {weights.min()} to {weights.max()}"
        )


def tile(
    weights: npt.NDArray[np.floating],
    *,
    query_tokens: Sequence[str],
    key_tokens: Sequence[str],
    framed: Collection[tuple[int, int]],
    causal: bool,
    colours: Colours,
) -> str:
    """Draw a small map with its labels, but without title, legend and note.

    Args:
        weights: (T, S), in [0, 1].
        query_tokens: T labels of the rows, as ``tokens.display`` writes them.
        key_tokens: S labels of the columns.
        framed: (row, column) of each cell with a frame, from 0.
        causal: cells right of the diagonal were hidden from the model and stay empty.
        colours: of the page.

    Returns:
        A data URL of the SVG.
    """
    layout = _MapLayout(
        weights,
        query_tokens,
        key_tokens,
        cell=20,
        left_margin=2,
        space_above=0,
        angle=50,
        max_signs=12,
        gap=1,
    )
    frame = f'fill="none" stroke="{colours.accent}" stroke-width="2.5"'
    elements = [
        *layout.labels(),
        *layout.cells(colours, causal=causal),
        *(layout.cell_box(row, column, frame) for row, column in framed),
    ]
    svg = svg_document(elements, layout.right + 2, layout.bottom + 2, colours)
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"


class _MapLayout:
    """The positions of the cells and labels of one map, in pixels from the top left.

    Args:
        weights: (T, S), in [0, limit].
        queries: T labels of the rows.
        keys: S labels of the columns.
        cell: side of a cell, in pixels.
        left_margin: left of the labels of the rows, in pixels.
        space_above: above the labels of the columns, in pixels.
        angle: by which the labels of the columns are turned, in degrees.
        max_signs: most graphemes of a label; a longer one is cut. None leaves all labels whole.
        gap: the free space on each side of a cell, in pixels.
        limit: the number that gets the strongest colour.
    """

    def __init__(
        self,
        weights: npt.NDArray[np.floating],
        queries: Sequence[str],
        keys: Sequence[str],
        *,
        cell: int,
        left_margin: int,
        space_above: int,
        angle: int = 45,
        max_signs: int | None = None,
        gap: int = 0,
        limit: float = 1.0,
    ) -> None:
        self.weights = weights
        self.queries = queries
        self.keys = keys
        self.cell = cell
        self.angle = angle
        self.max_signs = max_signs
        self.gap = gap
        self.limit = limit
        self.font = int(np.clip(cell * 0.6, 10, 15))

        # For each key, the number of columns to its left.
        columns = range(len(keys))
        self.columns = columns if direction(keys) == "ltr" else columns[::-1]

        query_widths = [self._label_width(token) for token in queries]
        key_widths = [self._label_width(token) for token in keys]
        sine = math.sin(math.radians(angle))
        cosine = math.cos(math.radians(angle))
        self.left = left_margin + max(query_widths) + 8
        self.top = space_above + max(key_widths) * sine + self.font
        self.bottom = self.top + len(queries) * cell
        # Rotated labels extend to the right, so any label may be the rightmost.
        self.right = max(
            self.left + (column + 1) * cell + width * cosine
            for column, width in zip(self.columns, key_widths, strict=True)
        )

    def labels(self, languages: Languages = (None, None)) -> Iterator[str]:
        """Yield the labels of all columns and rows as SVG elements."""
        query_language, key_language = map(language_attributes, languages)
        for column, token in zip(self.columns, self.keys, strict=True):
            x = self.left + (column + 0.6) * self.cell
            y = self.top - 6
            turn = f' transform="rotate(-{self.angle} {x:.1f} {y:.1f})"'
            yield self._label(token, x, y, ends_at_x=False, attributes=key_language + turn)
        for row, token in enumerate(self.queries):
            x = self.left - 8
            y = self.top + (row + 0.5) * self.cell + 0.35 * self.font
            yield self._label(token, x, y, ends_at_x=True, attributes=query_language)

    def cells(self, colours: Colours, *, causal: bool, tooltips: bool = False) -> Iterator[str]:
        """Yield every cell as an SVG element, row by row.

        Args:
            colours: of the weights.
            causal: leave out the cells right of the diagonal, which a causal mask hides.
            tooltips: let each cell name its row, its column and its weight.
        """
        for (row, column), weight in np.ndenumerate(self.weights):
            if causal and column > row:
                continue
            fill = f'fill="{colours.of(min(float(weight) / self.limit, 1))}"'
            tooltip = self._tooltip(row, column) if tooltips else ""
            yield self.cell_box(row, column, fill, tooltip)

    def cell_box(self, row: int, column: int, paint: str, content: str = "") -> str:
        """Draw the rectangle of one cell.

        Args:
            row: from 0.
            column: from 0, in the order of the keys.
            paint: the attributes of its colour.
            content: elements inside it.

        Returns:
            An SVG element.
        """
        x = self.left + self.columns[column] * self.cell + self.gap
        y = self.top + row * self.cell + self.gap
        side = self.cell - 2 * self.gap if self.gap else self.cell + OVERLAP
        size = f'width="{side}" height="{side}"'
        if self.gap:  # cells with gaps between them have round corners
            size += f' rx="{2 * self.gap}"'
        return f'<rect x="{x:.1f}" y="{y:.1f}" {size} {paint}>{content}</rect>'

    def _tooltip(self, row: int, column: int) -> str:
        query = _isolated(in_full(self.queries[row]))
        key = _isolated(in_full(self.keys[column]))
        return f"<title>{escape(f'{query} → {key}  {self.weights[row, column]:z.4f}')}</title>"

    def _label(self, token: str, x: float, y: float, *, ends_at_x: bool, attributes: str) -> str:
        """Draw a label that begins or ends at x, in its own text direction.

        Args:
            token: the text of the label.
            x: where it begins or ends, in pixels.
            y: its baseline, in pixels.
            ends_at_x: whether a left-to-right text ends at x; otherwise it begins there.
            attributes: more attributes of the SVG element.
        """
        is_from_right = direction([token]) == "rtl"
        if is_from_right:
            attributes += ' direction="rtl"'
        if ends_at_x != is_from_right:  # a right-to-left text ends at its left side
            attributes += ' text-anchor="end"'
        text = self._written(token)
        return svg_text(text, x, y, size=self.font, attributes=attributes)

    def _label_width(self, token: str) -> float:
        return text_width(self._written(token), self.font)

    def _written(self, token: str) -> str:
        return token if self.max_signs is None else shortened(token, self.max_signs)


def _isolated(label: str) -> str:
    """Surround a label with the Unicode isolates FSI and PDI.

    Otherwise a token that is read from the right would turn the arrow beside it around.
    """
    return f"\u2068{label}\u2069"


def legend(x: float, y: float, colours: Colours, *, limit: float, measure: str) -> Iterator[str]:
    """Yield the elements of the colour scale with its numbers.

    The scale is made of steps: a gradient needs an id, and two pictures in one page would have the
    same id.

    Args:
        x: where it begins, in pixels from the left.
        y: its top, in pixels.
        colours: of the picture.
        limit: the number that gets the strongest colour.
        measure: the name of the numbers.
    """
    step = _LEGEND_WIDTH / _LEGEND_STEPS  # pixels
    for n in range(_LEGEND_STEPS):
        yield (
            f'<rect x="{x + n * _LEGEND_WIDTH / _LEGEND_STEPS:.1f}" y="{y}" '
            f'width="{step + 0.2:.1f}" '  # they overlap, so that no line shows between them
            f'height="8" fill="{colours.of(n / (_LEGEND_STEPS - 1))}"/>'
        )
    anchors = {0: "", 0.5: ' text-anchor="middle"', 1: ' text-anchor="end"'}
    for share, anchor in anchors.items():
        yield svg_text(
            f"{share * limit:.3g}",
            x + share * _LEGEND_WIDTH,
            y + 21,
            size=11,
            attributes=_FAINT + anchor,
        )
    yield svg_text(measure, x + _LEGEND_WIDTH + 10, y + 8, size=11, attributes=_FAINT)
