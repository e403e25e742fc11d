"""Read the text exports of Anki: "Notes in Plain Text" and "Cards in Plain Text".

Such a file begins with lines like ``#separator:tab``, which say how the other lines are to be read.
Some columns hold no text: tags, the deck, the type and the identity of a note.

Source: Anki manual, "Text Files", section "File Headers".
"""

import re
from collections.abc import Iterable, Iterator
from itertools import chain

from model.corpora.csv_text import tab_separated

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
# Names of the columns that hold no text.
_NO_TEXT = ("tags", "deck", "notetype", "note type", "guid")


def anki_lines(lines: Iterable[str]) -> Iterator[str | None]:
    """Yield the text columns of each line, separated by TABs; leave out all other columns.

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
    no_text: set[int] = set()  # numbers of the columns that hold no text, from 0
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
        return  # the file has only headers, or nothing

    if not n_headers:
        yield line
        yield from rest
        return
    yield from tab_separated(chain([line], rest), separator, left_out=no_text)
