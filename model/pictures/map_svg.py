"""One attention map as SVG: rows are queries, columns are keys."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

import numpy as np
import numpy.typing as npt

from model.files.replacing import write_text
from model.pictures.colours import COLOURS, Colours, Theme
from model.pictures.direction import direction
from model.pictures.language_tag import tag
from model.pictures.text_width import cut, signs, text_width, widest
from model.pictures.tokens import in_full

_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Noto Sans CJK SC', sans-serif"
_LONGEST = 16  # signs of a label; the whole stands in the tooltip
_ANGLE = 45  # degrees by which column labels turn
_EDGE = 16  # pixels around everything
_LEGEND = 140  # pixels, its width
# What no XML can hold, and what turns the direction of the text behind it.
_NOT_DRAWN = re.compile(
    "[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|[\u202a-\u202e\u2066-\u2069]"
)


@dataclass(frozen=True)
class Picture:
    """A drawing that a notebook shows.

    Args:
        svg: the whole.
    """

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
        write_text(Path(path), self.svg)
        return Path(path)


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
        weights: (T, S), in [0, 1].
        query_tokens: T visible tokens.
        key_tokens: S visible tokens.
        title: above the map.
        note: the line below it.
        languages: of the query tokens and of the key tokens; None where that is not known.
        causal: cells right of the diagonal were hidden from the model and stay empty.
        theme: light or dark.

    Raises:
        ValueError: the shape does not fit the tokens, or a weight lies outside [0, 1].
    """
    n_queries, n_keys = len(query_tokens), len(key_tokens)
    if weights.shape != (n_queries, n_keys) or not weights.size:
        raise ValueError(
            f"weights of shape {weights.shape} do not fit {n_queries} query tokens "
            f"and {n_keys} key tokens"
        )
    if not (weights.min() >= 0 and weights.max() <= 1 + 1e-4):
        raise ValueError(f"weights must lie in [0, 1], got {weights.min()} to {weights.max()}")
    colours = COLOURS[theme]
    cell = int(np.clip(480 / max(n_queries, n_keys), 14, 40))
    font = int(np.clip(cell * 0.6, 10, 15))
    left = _EDGE + widest(map(_short, query_tokens), font) + 8
    turned = math.radians(_ANGLE)
    top = _EDGE + 40 + widest(map(_short, key_tokens), font) * math.sin(turned) + font
    bottom = top + n_queries * cell
    places = _places(key_tokens)
    ends = (
        left + (place + 1) * cell + text_width(_short(token), font) * math.cos(turned)
        for place, token in zip(places, key_tokens, strict=True)
    )
    width = max(*ends, _EDGE + text_width(title, 16), _EDGE + _LEGEND + 160) + _EDGE
    lines = _wrapped(_drawable(note), (width - 2 * _EDGE) / 12)
    height = bottom + 44 + 16 * len(lines) + _EDGE
    parts = [
        f'<rect width="100%" height="100%" fill="{colours.paper}"/>',
        _text(title, _EDGE, _EDGE + 16, size=16, weight=600),
        *_column_labels(key_tokens, left, top, cell, font, languages[1]),
        *_row_labels(query_tokens, left, top, cell, font, languages[0]),
        *_cells(weights, query_tokens, key_tokens, left, top, cell, colours, causal=causal),
        *_legend(_EDGE, bottom + 16, colours),
        *(_text(s, _EDGE, bottom + 56 + 16 * n, size=12, faint=True) for n, s in enumerate(lines)),
    ]
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    label = escape(_drawable(title), quote=True)
    return Picture(
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{label}" '
        f'font-family="{_FONT}" fill="{colours.ink}" shape-rendering="crispEdges" '
        'style="max-width:100%;height:auto">\n'
        f"<title>{escape(_drawable(title))}</title>\n" + "\n".join(parts) + "\n</svg>\n"
    )


def _column_labels(
    tokens: Sequence[str], left: float, top: float, cell: int, font: int, language: str | None
) -> Iterator[str]:
    for place, token in zip(_places(tokens), tokens, strict=True):
        x, y = left + (place + 0.6) * cell, top - 6
        turn = f' transform="rotate(-{_ANGLE} {x:.1f} {y:.1f})"'
        yield _label(token, x, y, font, language, more=turn)


def _row_labels(
    tokens: Sequence[str], left: float, top: float, cell: int, font: int, language: str | None
) -> Iterator[str]:
    for row, token in enumerate(tokens):
        y = top + (row + 0.5) * cell + 0.35 * font
        yield _label(token, left - 8, y, font, language, ends=True)


def _label(
    token: str,
    x: float,
    y: float,
    font: int,
    language: str | None,
    *,
    ends: bool = False,
    more: str = "",
) -> str:
    """A token at the right of x, or, where it ends there, at the left, in its own direction."""
    from_right = direction([token]) == "rtl"
    way = ' direction="rtl"' * from_right + ' text-anchor="end"' * (ends != from_right)
    return _text(_short(token), x, y, size=font, language=language, more=way + more)


def _cells(
    weights: npt.NDArray[np.floating],
    query_tokens: Sequence[str],
    key_tokens: Sequence[str],
    left: float,
    top: float,
    cell: int,
    colours: Colours,
    *,
    causal: bool,
) -> Iterator[str]:
    places = _places(key_tokens)
    for (row, column), weight in np.ndenumerate(weights):
        if causal and column > row:
            continue
        query, key = (
            _isolated(in_full(token)) for token in (query_tokens[row], key_tokens[column])
        )
        told = f"{query} → {key}  {weight:.4f}"
        yield (
            f'<rect x="{left + places[column] * cell:.1f}" y="{top + row * cell:.1f}" '
            f'width="{cell}" height="{cell}" fill="{colours.of(min(float(weight), 1))}">'
            f"<title>{escape(told)}</title></rect>"
        )


def _places(keys: Sequence[str]) -> Sequence[int]:
    """Where each key's column stands, counted from the left."""
    places = range(len(keys))
    return places if direction(keys) == "ltr" else places[::-1]


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
        yield _text(f"{share:g}", x + share * _LEGEND, y + 21, size=11, faint=True, more=anchor)
    yield _text("weight", x + _LEGEND + 10, y + 8, size=11, faint=True)


def _text(
    text: str,
    x: float,
    y: float,
    *,
    size: int,
    weight: int = 400,
    faint: bool = False,
    language: str | None = None,
    more: str = "",
) -> str:
    name = escape(tag(language))
    lang = f' xml:lang="{name}" lang="{name}"' if name else ""
    opacity = ' opacity="0.75"' if faint else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" font-weight="{weight}"'
        f"{opacity}{lang}{more}>{escape(_drawable(text))}</text>"
    )


def _short(token: str) -> str:
    return cut(token, _LONGEST)


def _wrapped(text: str, room: float) -> list[str]:
    """Lines at most so wide, in units of the font's size."""
    lines, line = [], ""
    for word in re.findall(r"\S+\s*|\s+", text):
        for piece in _pieces(word, room):
            if line and text_width(line + piece.rstrip(), 1) > room:
                lines.append(line.rstrip())
                line = ""
            line += piece
    return [*lines, line.rstrip()] if line else lines


def _pieces(word: str, room: float) -> Iterator[str]:
    """A word, or its signs where it is longer than a line."""
    yield from (word,) if text_width(word, 1) <= room else signs(word)


def _drawable(text: str) -> str:
    return _NOT_DRAWN.sub("\ufffd", text)


def _isolated(token: str) -> str:
    """A right-to-left token must not turn the arrow around: first strong isolate … pop isolate."""
    return f"\u2068{token}\u2069"
