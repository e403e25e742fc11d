"""One attention map as SVG: rows are queries, columns are keys."""

import base64
import math
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

import numpy as np
import numpy.typing as npt

from model.files.replacing import write_text
from model.pictures.colours import COLOURS, Colours, Theme
from model.pictures.text import cut, direction, signs, tag, text_width
from model.pictures.tokens import in_full

_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Noto Sans CJK SC', sans-serif"
_FAINT = ' opacity="0.75"'
_EDGE = 16  # pixels around everything
_LEGEND = 140  # pixels, its width
# What no XML can hold, and what turns the direction of the text behind it.
_NOT_DRAWN = re.compile(
    "[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|[\u202a-\u202e\u2066-\u2069]"
)


@dataclass(frozen=True)
class Picture:
    """A drawing that a notebook shows."""

    svg: str

    def __repr__(self) -> str:
        return f"<Picture: SVG of {len(self.svg):,} characters>"

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        """Inside the page and not as an image of it: so the tooltips of its cells work."""
        return self.svg

    def save(self, path: str | Path) -> Path:
        """Write it as a file, whole or not at all; OSError if that cannot be."""
        return write_text(Path(path), self.svg)


def map_svg(
    weights: npt.NDArray[np.floating],
    *,
    query_tokens: Sequence[str],
    key_tokens: Sequence[str],
    title: str,
    note: str,
    languages: tuple[str | None, str | None] = (None, None),
    causal: bool = False,
    theme: Theme = "light",
) -> Picture:
    """Draw one map with its title, labels, the legend of its colours, and where it comes from.

    Keys that are read from the right stand from the right, too.

    Args:
        weights: (T, S), in [0, 1], or ValueError; the tokens are visible ones.
        title: above the map; the ``note`` stands below it.
        languages: of the query tokens and of the key tokens; None where that is not known.
        causal: cells right of the diagonal were hidden from the model and stay empty.
    """
    check_map(weights, (len(query_tokens), len(key_tokens)), 0, 1)
    colours = COLOURS[theme]
    cell = int(np.clip(480 / max(weights.shape), 14, 40))
    drawn = _Map(weights, query_tokens, key_tokens, cell=cell, edge=_EDGE, above=_EDGE + 40)
    width = max(drawn.right, _EDGE + text_width(title, 16), _EDGE + _LEGEND + 160) + _EDGE
    lines = _wrapped(_drawable(note), (width - 2 * _EDGE) / 12)
    low = drawn.bottom + 56
    parts = [
        f"<title>{escape(_drawable(title))}</title>",
        f'<rect width="100%" height="100%" fill="{colours.paper}"/>',
        _text(title, _EDGE, _EDGE + 16, size=16, more=' font-weight="600"'),
        *drawn.labels(languages),
        *drawn.cells(colours, causal=causal, tooltips=True),
        *_legend(_EDGE, drawn.bottom + 16, colours),
        *(_text(line, _EDGE, low + 16 * n, size=12, more=_FAINT) for n, line in enumerate(lines)),
    ]
    label = escape(_drawable(title), quote=True)
    more = f'role="img" aria-label="{label}" shape-rendering="crispEdges"'
    return Picture(_svg(parts, width, drawn.bottom + 44 + 16 * len(lines) + _EDGE, colours, more))


def check_map(
    weights: npt.NDArray[np.floating], shape: tuple[int, ...], low: float, high: float
) -> None:
    """ValueError where (..., T, S) weights have another shape or do not all lie in [low, high]."""
    if weights.shape != shape or not weights.size:
        raise ValueError(
            f"weights of shape {weights.shape} do not fit {shape[-2]} query tokens "
            f"and {shape[-1]} key tokens"
        )
    if not (weights.min() >= low * (1 + 1e-4) and weights.max() <= high * (1 + 1e-4)):
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
    """Draw a small map with its labels and nothing around it, as a data URL.

    Arguments as for ``map_svg``; ``framed`` are (row, column) of the cells with a frame.
    """
    drawn = _Map(
        weights, query_tokens, key_tokens, cell=20, edge=2, above=0, angle=50, longest=12, gap=1
    )
    frame = f'fill="none" stroke="{colours.accent}" stroke-width="2.5"'
    parts = [
        *drawn.labels(),
        *drawn.cells(colours, causal=causal),
        *(drawn.box(row, column, frame) for row, column in framed),
    ]
    svg = _svg(parts, drawn.right + 2, drawn.bottom + 2, colours)
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"


class _Map:
    """Cells and labels of one map, and where they stand, in pixels.

    Its columns' labels turn by an angle in degrees. A gap is what each cell leaves free around it.
    """

    def __init__(
        self,
        weights: npt.NDArray[np.floating],
        queries: Sequence[str],
        keys: Sequence[str],
        *,
        cell: int,
        edge: int,
        above: int,
        angle: int = 45,
        longest: int = 16,
        gap: int = 0,
    ) -> None:
        self.weights, self.queries, self.keys = weights, queries, keys
        self.cell, self.angle, self.longest, self.gap = cell, angle, longest, gap
        self.font = int(np.clip(cell * 0.6, 10, 15))
        sine, cosine = math.sin(math.radians(angle)), math.cos(math.radians(angle))
        rows, columns = (
            [text_width(cut(token, longest), self.font) for token in side]
            for side in (queries, keys)
        )
        self.left = edge + max(rows) + 8
        self.top = above + max(columns) * sine + self.font
        self.bottom = self.top + len(queries) * cell
        places = range(len(keys))  # where each key's column stands, counted from the left
        self.places = places if direction(keys) == "ltr" else places[::-1]
        ends = zip(self.places, columns, strict=True)
        self.right = max(self.left + (place + 1) * cell + long * cosine for place, long in ends)

    def labels(self, languages: tuple[str | None, str | None] = (None, None)) -> Iterator[str]:
        of_queries, of_keys = map(_lang, languages)
        for place, token in zip(self.places, self.keys, strict=True):
            x, y = self.left + (place + 0.6) * self.cell, self.top - 6
            turn = f' transform="rotate(-{self.angle} {x:.1f} {y:.1f})"'
            yield self._label(token, x, y, False, of_keys + turn)
        for row, token in enumerate(self.queries):
            y = self.top + (row + 0.5) * self.cell + 0.35 * self.font
            yield self._label(token, self.left - 8, y, True, of_queries)

    def cells(self, colours: Colours, *, causal: bool, tooltips: bool = False) -> Iterator[str]:
        for (row, column), weight in np.ndenumerate(self.weights):
            if causal and column > row:
                continue
            # First strong isolate and its end: right-to-left tokens must not turn the arrow around.
            query, key = (
                f"\u2068{in_full(token)}\u2069" for token in (self.queries[row], self.keys[column])
            )
            tooltip = f"<title>{escape(f'{query} → {key}  {weight:.4f}')}</title>"
            fill = f'fill="{colours.of(min(float(weight), 1))}"'
            yield self.box(row, column, fill, tooltip if tooltips else "")

    def box(self, row: int, column: int, paint: str, inside: str = "") -> str:
        x = self.left + self.places[column] * self.cell + self.gap
        y = self.top + row * self.cell + self.gap
        side, corners = self.cell - 2 * self.gap, f' rx="{2 * self.gap}"' * bool(self.gap)
        size = f'width="{side}" height="{side}"{corners}'
        return f'<rect x="{x:.1f}" y="{y:.1f}" {size} {paint}>{inside}</rect>'

    def _label(self, token: str, x: float, y: float, ends: bool, how: str) -> str:
        """A token at the right of x, or, where it ends there, at the left, in its own direction."""
        from_right = direction([token]) == "rtl"
        way = ' direction="rtl"' * from_right + ' text-anchor="end"' * (ends != from_right)
        return _text(cut(token, self.longest), x, y, size=self.font, more=how + way)


def _svg(
    parts: Sequence[str], width: float, height: float, colours: Colours, more: str = ""
) -> str:
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="{_FONT}" '
        f'fill="{colours.ink}" style="max-width:100%;height:auto" {more}>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )


def _legend(x: float, y: float, colours: Colours) -> Iterator[str]:
    """Steps of colour and not a gradient: that needs an id, and two of a page would be equal."""
    steps = 28
    for n in range(steps):
        yield (
            f'<rect x="{x + n * _LEGEND / steps:.1f}" y="{y}" width="{_LEGEND / steps + 0.2:.1f}" '
            f'height="8" fill="{colours.of(n / (steps - 1))}"/>'
        )
    for share in (0, 0.5, 1):
        anchor = ' text-anchor="middle"' if share == 0.5 else ' text-anchor="end"' if share else ""
        yield _text(f"{share:g}", x + share * _LEGEND, y + 21, size=11, more=_FAINT + anchor)
    yield _text("weight", x + _LEGEND + 10, y + 8, size=11, more=_FAINT)


def _lang(language: str | None) -> str:
    name = escape(tag(language))
    return f' xml:lang="{name}" lang="{name}"' if name else ""


def _text(text: str, x: float, y: float, *, size: int, more: str = "") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}"{more}>{escape(_drawable(text))}</text>'
    )


def _wrapped(text: str, room: float) -> list[str]:
    """Lines at most so wide, in units of the font's size."""
    lines, line = [], ""
    for word in re.findall(r"\S+\s*|\s+", text):
        for piece in (word,) if text_width(word, 1) <= room else signs(word):
            if line and text_width(line + piece.rstrip(), 1) > room:
                lines.append(line.rstrip())
                line = ""
            line += piece
    return [*lines, line.rstrip()] if line else lines


def _drawable(text: str) -> str:
    return _NOT_DRAWN.sub("\ufffd", text)
