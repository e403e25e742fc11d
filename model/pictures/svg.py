"""Build SVG drawings: the document, lines of text, and wrapped paragraphs."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from model.arrays import Array
from model.files.replacing import replacing
from model.pictures.colours import Colours
from model.pictures.formats import convert, format_of
from model.pictures.text import graphemes, language_tag, text_width

_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Noto Sans CJK SC', sans-serif"
# Characters that XML forbids, and control characters that change the text direction.
_NOT_DRAWABLE = re.compile(
    "[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|[\u202a-\u202e\u2066-\u2069]"
)


@dataclass(frozen=True)
class Picture:
    """An SVG drawing that a notebook can show."""

    svg: str
    width: float  # in pixels of 1/96 inch
    title: str = ""  # one line; empty if it has none
    description: str = ""  # a caption; empty if it has none
    # The drawn numbers: (T, S) for one map, (layers, H, T, S) for several maps.
    numbers: Array | None = field(default=None, compare=False, repr=False)
    rows: tuple[str, ...] = ()  # T labels
    columns: tuple[str, ...] = ()  # S labels

    def __repr__(self) -> str:
        return f"<Picture: SVG of {len(self.svg):,} characters>"

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        """Return the SVG element itself, because an image would have no tooltips."""
        return self.svg

    def save(self, path: str | Path) -> Path:
        """Write the drawing to a file, completely or not at all.

        Args:
            path: its ending says the format: .png, .svg or .pdf.

        Returns:
            The path.

        Raises:
            ValueError: the name has a different ending, or none.
            OSError: the file cannot be written.
        """
        path = Path(path)
        content = convert(
            self.svg,
            format_of(path),
            width=self.width,
            title=self.title,
            description=self.description,
        )
        with replacing(path) as unfinished:
            unfinished.write_bytes(content)
        return path


def svg_document(
    elements: Sequence[str], width: float, height: float, colours: Colours, attributes: str = ""
) -> str:
    """Put elements into an SVG document.

    Args:
        elements: each an SVG element.
        width: in pixels.
        height: in pixels.
        colours: texts are drawn in ``ink``.
        attributes: further ones of the root element.

    Returns:
        The SVG.
    """
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="{_FONT}" '
        f'fill="{colours.ink}" style="max-width:100%;height:auto" {attributes}>\n'
        + "\n".join(elements)
        + "\n</svg>\n"
    )


def svg_text(text: str, x: float, y: float, *, size: int, attributes: str = "") -> str:
    """Draw one line of text.

    Args:
        text: any text; what XML cannot hold becomes U+FFFD.
        x: where the text begins, in pixels from the left.
        y: its baseline, in pixels from the top.
        size: of the font, in pixels.
        attributes: further ones, each with a space before it.

    Returns:
        An SVG element.
    """
    content = escape(drawable(text))
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}"{attributes}>{content}</text>'


def language_attributes(language: str | None) -> str:
    """Return HTML attributes for a language, each after a space; "" for None."""
    name = escape(language_tag(language))
    return f' xml:lang="{name}" lang="{name}"' if name else ""


def drawable(text: str) -> str:
    """Replace characters that XML forbids, or that change the text direction, by U+FFFD."""
    return _NOT_DRAWABLE.sub("\ufffd", text)


def wrapped(text: str, max_width: float) -> list[str]:
    """Break a text into lines. A word that is wider than a line is broken between characters.

    Args:
        text: any text.
        max_width: of a line, in units of the font's size.

    Returns:
        The lines; none for an empty text.
    """
    lines = []
    line = ""
    for word in re.findall(r"\S+\s*|\s+", text):
        fits_into_a_line = text_width(word, 1) <= max_width
        for piece in [word] if fits_into_a_line else graphemes(word):
            if line and text_width(line + piece.rstrip(), 1) > max_width:
                lines.append(line.rstrip())
                line = ""
            line += piece
    if line:
        lines.append(line.rstrip())
    return lines
