"""Read a list of sentences that was pasted or uploaded; give a reason for each skipped line.

Each line holds one sentence, optionally followed by reference translations, each after a TAB.
"""

import re
from dataclasses import dataclass, replace
from typing import Literal

from model.corpora.csv_text import QuoteError
from model.corpora.lines import READABLE_FORMATS, numbered_lines
from model.corpora.plain_text import normalise_columns
from model.files.file_format import recognise
from model.files.format_table import FileFormat

MOST_SENTENCES = 200  # half a minute of work for the server
# number of lines shown; lines after MOST_SENTENCES get a reason instead of a translation
MOST_LINES = 2000
MOST_CHARACTERS = 20_000  # total number of characters
MOST_BYTES = 1_000_000  # size of a file
LONGEST_LINE = 1000  # characters of one sentence
_LONGEST_READ = 10_000  # characters of a line; a longer line is refused unread
_NUMBER = re.compile(r"[-+]?\d[\d.,:eE+-]*%?")

Fault = Literal["nothing", "too_large", "too_many_lines", "encoding", "format", "quotes"]
# "too_many": after ``MOST_SENTENCES`` sentences. "too_much": after ``MOST_CHARACTERS`` characters.
Reason = Literal["no_source", "number", "long_line", "too_many", "too_much"]


class ListError(ValueError):
    """The error for a text or a file that is not a list of sentences.

    Args:
        fault: why it is not.
        file_format: what it is instead, if ``fault`` is "format".
        line: the line of the fault, from 1, if ``fault`` is "quotes".
    """

    def __init__(
        self, fault: Fault, file_format: FileFormat | None = None, *, line: int | None = None
    ) -> None:
        self.fault = fault
        self.file_format = file_format
        self.line = line
        super().__init__(f"this is not a list of sentences: {file_format or fault}")


@dataclass(frozen=True)
class Entry:
    """One line of a list: a sentence, or the reason why it is skipped."""

    line: int  # its number, from 1
    source: str
    references: tuple[str, ...] = ()  # its reference translations, if there are any
    reason: Reason | None = None  # why it is not translated; None if it is


def read_list(content: bytes | str) -> list[Entry]:
    """Read every line that is not empty.

    Args:
        content: the bytes of a file, or a text as it was pasted.

    Raises:
        ListError: this is not a list of sentences.
    """
    entries: list[Entry] = []
    n_characters = 0  # total length of the sentences that will be translated
    n_sentences = 0
    for number, line in _lines(content):
        entry = _entry(number, line)
        if entry is None:
            continue
        if entry.reason is None and n_sentences >= MOST_SENTENCES:
            entry = replace(entry, reason="too_many")
        elif entry.reason is None and n_characters + len(entry.source) > MOST_CHARACTERS:
            entry = replace(entry, reason="too_much")
        if entry.reason is None:
            n_sentences += 1
            n_characters += len(entry.source)
        entries.append(entry)
        if len(entries) > MOST_LINES:
            raise ListError("too_many_lines")
    if not entries:
        raise ListError("nothing")
    return entries


def _lines(content: bytes | str) -> list[tuple[int, str]]:
    """Return the number and the text of every line that is not empty."""
    as_bytes = content if isinstance(content, bytes) else content.encode(errors="replace")
    file_format = recognise(as_bytes)
    if file_format and file_format.name not in READABLE_FORMATS:
        raise ListError("format", file_format)
    if len(content) > MOST_BYTES:
        raise ListError("too_large")
    try:
        return numbered_lines(content)
    except UnicodeDecodeError as error:
        raise ListError("encoding") from error
    except QuoteError as error:
        raise ListError("quotes", line=error.line) from error


def _entry(number: int, line: str) -> Entry | None:
    """Return the entry of one line; None if the line has no visible character."""
    if len(line) > _LONGEST_READ:
        return Entry(number, line.strip()[:LONGEST_LINE], reason="long_line")
    source, *others = normalise_columns(line)
    references = tuple(text[:LONGEST_LINE] for text in others if text)
    if not (source or references):
        return None
    reason: Reason | None = None
    if not source:
        reason = "no_source"
    elif len(others) > 1 and _NUMBER.fullmatch(source):
        reason = "number"  # the first of three columns holds an index or a score
    elif max(map(len, (source, *others))) > LONGEST_LINE:
        reason = "long_line"
    return Entry(number, source[:LONGEST_LINE], references, reason)
