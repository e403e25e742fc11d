"""Convert an SVG drawing to PNG or PDF, using local fonts and no network."""

import struct
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, get_args

Format = Literal["svg", "png", "pdf"]
FORMATS: tuple[Format, ...] = get_args(Format)

_PIXELS_PER_INCH = 192  # two pixels of a PNG per pixel of the drawing, in each direction
# A Typst document: its page has the size of the drawing and a transparent background.
_DOCUMENT = b"""#set page(width: auto, height: auto, margin: 0pt, fill: none)
#let drawing = bytes(sys.inputs.svg)
#let width = 1pt * float(sys.inputs.points)
#set document(title: sys.inputs.alt, description: sys.inputs.description)
#image(drawing, format: "svg", alt: sys.inputs.alt, width: width)
"""
_POINTS_PER_PIXEL = 0.75
_PNG_HEAD = 33  # bytes of a PNG before its second chunk: the signature, and the chunk IHDR


def format_of(path: str | Path) -> Format:
    """Return the picture format for the suffix of a file name.

    Raises:
        ValueError: it is none of ``FORMATS``.
    """
    ending = Path(path).suffix.lower().removeprefix(".")
    for each in FORMATS:
        if ending == each:
            return each
    raise ValueError(
        f"cannot save a picture as {Path(path).name!r}: end the name in .png, .svg or .pdf"
    )


def convert(
    svg: str, file_format: Format, *, width: float, title: str = "", description: str = ""
) -> bytes:
    """Return the bytes of a drawing in a file format.

    In a PDF, text stays text and lines stay lines; the fonts are embedded. Title and description
    are in the metadata of a PDF and of a PNG; an SVG has its own ``<title>`` and ``<desc>``.

    Args:
        svg: the drawing.
        file_format: one of ``FORMATS``.
        width: of the drawing, in pixels of 1/96 inch. A PNG has two pixels for each.
        title: what the drawing shows, for readers who do not see it.
        description: a caption in words.
    """
    if file_format == "svg":
        return svg.encode()

    # Imported here, because the import takes 0.1 s and few programs save a picture.
    import typst

    content = typst.compile(
        _DOCUMENT,
        format=file_format,
        ppi=float(_PIXELS_PER_INCH),
        sys_inputs={
            "svg": svg,
            "alt": title,
            "description": description,
            "points": str(width * _POINTS_PER_PIXEL),
        },
    )
    assert isinstance(content, bytes)  # a list only if there were several pages
    if file_format == "png":
        return with_png_texts(content, {"Title": title, "Description": description})
    return content


def with_png_texts(png: bytes, texts: Mapping[str, str]) -> bytes:
    """Return a PNG with texts in its metadata. Empty texts are left out.

    Args:
        png: an image.
        texts: text by keyword. The keywords "Title" and "Description" are defined by the format.

    Source: PNG (Third Edition), section 11.3.3.4, iTXt: international textual data.
    """
    chunks = b"".join(_png_text(name, text) for name, text in texts.items() if text)
    return png[:_PNG_HEAD] + chunks + png[_PNG_HEAD:]


def _png_text(keyword: str, text: str) -> bytes:
    """Return a PNG chunk with an uncompressed text and no language tag."""
    content = b"iTXt" + keyword.encode("latin-1") + b"\0\0\0\0\0" + text.encode()
    return struct.pack(">I", len(content) - 4) + content + struct.pack(">I", zlib.crc32(content))
