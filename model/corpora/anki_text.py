"""Read the text exports of Anki: "Notes in Plain Text" and "Cards in Plain Text".

Such a file begins with lines like ``#separator:tab``, which say how the other lines are to be read.
Some columns hold no text: tags, the deck, the type and the identity of a note.

Source: Anki manual, "Text Files", section "File Headers".
"""

import csv
import re
from collections.abc import Iterable, Iterator

_HEADER = re.compile(
    r"#(separator|html|tags|columns|notetype|deck|if matches"
    r"|(?:notetype|deck|tags|guid) column):(.*)",
    re.IGNORECASE,
)
_SEPARATORS = {
    "tab": "\t",
    "comma": ",",
    "semicolon": ";",
    "pipe": "|",
    "colon": ":",
    "space": " ",
}
_NO_TEXT = ("tags", "deck", "notetype", "note type", "guid")


def anki_lines(lines: Iterable[str]) -> Iterator[str | None]:
    """Yield the text columns of each line, separated by TABs, without all other columns.

    A file without Anki's headers comes back as it is.

    Args:
        lines: of the file, without their line ends.

    Yields:
        A line; None for a line that begins no note: a header, or a further line of a field with
        several lines.

    >>> list(anki_lines(["#separator:tab", "#tags column:1", "new\\tGo.\\tVa !"]))
    [None, None, 'Go.\\tVa !']
    """
    rest = iter(lines)
    separator = "\t"
    no_text: set[int] = set()  # columns, from 0
    n_headers = 0
    for line in rest:
        header = _HEADER.fullmatch(line)
        if not header:
            break
        n_headers += 1
        yield None
        name = header[1].lower()
        value = header[2].strip() or header[2]
        if name == "separator":
            separator = _SEPARATORS.get(value.lower(), value[:1])
        elif name.endswith(" column") and value.isdecimal():
            no_text.add(int(value) - 1)
        elif name == "columns":
            titles = value.lower().split(separator)
            no_text.update(n for n, title in enumerate(titles) if title.strip() in _NO_TEXT)
    else:
        return

    if not n_headers:
        yield line
        yield from rest
        return
    yield from _notes(line, rest, separator, no_text)


def _notes(
    first: str, rest: Iterator[str], separator: str, no_text: set[int]
) -> Iterator[str | None]:
    """Yield the notes. For each further line of a note, yield None.

    Args:
        first: the line after the headers.
        rest: the lines after it.
        separator: of the columns, one character.
        no_text: columns to leave out, from 0.
    """

    def with_line_ends() -> Iterator[str]:
        yield first + "\n"
        for line in rest:
            yield line + "\n"

    reader = csv.reader(with_line_ends(), delimiter=separator)
    n_read = 0
    for fields in reader:
        texts = [text for n, text in enumerate(fields) if n not in no_text]
        yield "\t".join(re.sub(r"\s", " ", text) for text in texts)
        yield from [None] * (reader.line_num - n_read - 1)
        n_read = reader.line_num
