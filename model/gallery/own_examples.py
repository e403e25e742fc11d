"""A teacher's own examples for the gallery: a small file with one example per line.

Each line is sentence TAB what to look for TAB question TAB view. Question and view may be left out.
The view is a link of the explorer, or the part of it that says what is shown, such as
``layer=3&head=4``. A line that begins with ``#`` is a comment.
"""

import base64
import binascii
import zlib
from collections.abc import Mapping
from typing import Any, Literal
from urllib.parse import parse_qsl, urlencode

from msgspec import Struct

from model.corpora.csv_text import QuoteError
from model.corpora.lines import READABLE_FORMATS, numbered_lines
from model.files.file_format import recognise
from model.files.format_table import FileFormat
from model.maps.view import CELLS, UNITS
from model.trace.transformer import ROWS
from model.transformer.heads import KINDS

MAX_BYTES = 100_000  # of a file
MAX_EXAMPLES = 30
MAX_CHARACTERS = 1000  # of a sentence, and of each text
_HEADER = "sentence"  # the first cell of a header line
# the fields of a link that a view may have, each with its possible values
_VALUES: Mapping[str, tuple[str, ...]] = {
    "attention": KINDS,
    "rows": ROWS,
    "cells": CELLS,
    "unit": UNITS,
}
_NUMBERS = ("layer", "head")  # further fields, whose values are numbers from 1
_MAPS = ("head", "mean")  # possible values of the field "view"
_DIGITS = 3  # most digits of the number of a layer or a head


ExamplesFault = Literal[
    "format", "large", "encoding", "quotes", "none", "many", "cells", "long", "shown", "view"
]


class ExamplesError(ValueError):
    """The error for a file without examples; the message gives the reason and a remedy.

    Args:
        fault: why it holds none; a page has a sentence for each.
        message: the same in English, for the command line.
        file_format: what the file is instead, if ``fault`` is "format".
        values: the numbers and texts that belong into the page's sentence.
    """

    def __init__(
        self,
        fault: ExamplesFault,
        message: str,
        file_format: FileFormat | None = None,
        **values: object,
    ) -> None:
        super().__init__(message)
        self.fault = fault
        self.file_format = file_format
        self.values = values


class OwnExample(Struct, frozen=True):
    """A teacher's example: a sentence, a hint, a question and a view."""

    sentence: str
    look: str  # what to look for
    question: str = ""  # to the class
    view: str = ""  # the fields of a link of the explorer, such as "layer=3&head=4&view=head"

    @property
    def fields(self) -> dict[str, str]:
        """The fields of the view, by their names in a link."""
        return dict(parse_qsl(self.view))

    def shown(self, n_layers: int, n_heads: int) -> dict[str, Any]:
        """Return the view as an explorer in one file reads it.

        Args:
            n_layers: of the model; a larger layer becomes the last one.
            n_heads: of a layer; a larger head becomes the last one.

        Returns:
            Attention, layer and head from 0, rows and unit; the head is None for the mean.
        """
        fields = self.fields
        head = min(int(fields["head"]), n_heads) - 1 if fields.get("view") == "head" else None
        return {
            "kind": fields.get("attention", "cross"),
            "layer": min(int(fields.get("layer", n_layers)), n_layers) - 1,
            "head": head,
            "rows": fields.get("rows", "written"),
            "unit": fields.get("unit", "subwords"),
        }


def read_own_examples(content: bytes) -> tuple[OwnExample, ...]:
    """Read a teacher's examples from the content of a file.

    Raises:
        ExamplesError: it holds none, or a line is none.
    """
    file_format = recognise(content)
    if file_format and file_format.name not in READABLE_FORMATS:
        raise ExamplesError("format", f"it is {file_format}", file_format)
    if len(content) > MAX_BYTES:
        message = f"the examples have more than {MAX_BYTES:,} bytes: give fewer"
        raise ExamplesError("large", message, kilobytes=MAX_BYTES // 1000)
    try:
        lines = numbered_lines(content)
    except UnicodeDecodeError as error:
        message = "the examples are no UTF-8 text: save them as text in UTF-8"
        raise ExamplesError("encoding", message) from error
    except QuoteError as error:
        raise ExamplesError("quotes", str(error), line=error.line) from error
    examples = []
    for number, line in lines:
        cells = [cell.strip() for cell in line.split("\t")]
        if cells[0].startswith("#") or not any(cells) or cells[0].lower() == _HEADER:
            continue
        examples.append(_example(cells, number))
    if not examples:
        message = "there is no example: write sentence TAB what to look for, one per line"
        raise ExamplesError("none", message)
    if len(examples) > MAX_EXAMPLES:
        message = f"there are {len(examples)} examples: give at most {MAX_EXAMPLES}"
        raise ExamplesError("many", message, n=len(examples), most=MAX_EXAMPLES)
    return tuple(examples)


def _example(cells: list[str], number: int) -> OwnExample:
    """Return the example in the cells of a line; raise ExamplesError if they hold none."""
    if not 2 <= len(cells) <= 4 or not cells[0] or not cells[1]:
        message = (
            f"line {number} is not an example: write sentence TAB what to look for TAB question "
            "TAB view; the last two may be left out"
        )
        raise ExamplesError("cells", message, line=number)
    if max(map(len, cells)) > MAX_CHARACTERS:
        message = f"line {number} has a text of more than {MAX_CHARACTERS:,} characters: shorten it"
        raise ExamplesError("long", message, line=number, most=f"{MAX_CHARACTERS:,}")
    sentence, look, question, view = (*cells, "", "")[:4]
    return OwnExample(sentence, look, question, _view(view, number))


def _view(text: str, number: int) -> str:
    """Return the fields of a link that select a map; other fields are left out."""
    _, mark, query = text.partition("?")
    pairs = dict(parse_qsl(query if mark else text))
    fields: dict[str, str] = {}
    for name, values in _VALUES.items():
        if pairs.get(name) in values:
            fields[name] = pairs[name]
    for name in _NUMBERS:
        value = pairs.get(name, "")
        if value.isascii() and value.isdigit() and len(value) <= _DIGITS and int(value):
            fields[name] = value
    shown = pairs.get("view", "")
    if shown and shown not in _MAPS:
        message = (
            f"line {number} asks for view={shown[:20]}: an example shows one head (view=head) or "
            "the mean of a layer (view=mean)"
        )
        raise ExamplesError("shown", message, line=number, view=shown[:20])
    if shown:
        fields["view"] = shown
    elif "head" in fields:
        fields["view"] = "head"
    if "head" not in fields and fields.get("view") == "head":
        fields["head"] = "1"
    if text and not fields and not mark:
        message = (
            f"line {number} has no view that is known: copy a link of the explorer, or write "
            "layer=3&head=4"
        )
        raise ExamplesError("view", message, line=number)
    return urlencode(fields)


def pack(examples: tuple[OwnExample, ...]) -> str:
    """Pack examples into a short text for a link; ``unpack`` reads it."""
    rows = ["\t".join((own.sentence, own.look, own.question, own.view)) for own in examples]
    packed = zlib.compress("\n".join(rows).encode(), 9)
    return base64.urlsafe_b64encode(packed).decode().rstrip("=")


def unpack(text: str) -> tuple[OwnExample, ...]:
    """Unpack the examples of a link; () if the text was not made by ``pack``."""
    try:
        padded = text.encode("ascii") + b"=" * (-len(text) % 4)
        reader = zlib.decompressobj()
        content = reader.decompress(base64.urlsafe_b64decode(padded), MAX_BYTES)
        return read_own_examples(content) if reader.eof else ()  # otherwise the text is cut off
    except (binascii.Error, zlib.error, ValueError):
        return ()
