"""Split the content of a text file into lines.

Files come from many editors. They are in UTF-8, or in UTF-16 with a byte order mark, as Excel
writes "Unicode text". UTF-8, too, may begin with that mark. Lines may end as on Unix (LF), on
Windows (CR LF) or on a Mac before 2001 (CR). Any other file is refused, and the message names its
format. The text that Anki exports is read without its headers and without its columns of tags. A
table (CSV) is read with TABs between its columns, and without their names.

``stream_lines`` reads a corpus of any size. Its readers of formats see a byte that is not valid as
a lone surrogate, and may yield it unchanged. ``numbered_lines`` reads a small file as a whole.
"""

import codecs
from collections.abc import Iterator
from io import BufferedReader, RawIOBase
from typing import Any

from model.corpora.anki_text import anki_lines
from model.corpora.csv_text import csv_lines
from model.files.file_format import (
    INSPECTED_BYTES,
    csv_separator,
    recognise,
    recognise_beginning,
)

READABLE_FORMATS = ("csv",)  # formats of text that are read although they are no plain text
MAX_FILE_BYTES = 500_000_000  # size of a file that is read into memory
_UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_UTF_8_MARK = b"\xef\xbb\xbf"
_CHUNK_BYTES = 8192  # of a file in UTF-16, decoded at once
_MAX_LINE_BYTES = 1_000_000  # the rest of a longer line is skipped


def numbered_lines(content: bytes | str) -> list[tuple[int, str]]:
    """Return the line number, counted from 1, and the text of every line that is not empty.

    A carriage return inside a line stays, and so does the one before a line feed.

    Raises:
        ValueError: the file does not hold sentences; the message names its format.
        QuoteError: a quote is missing in a table.
        UnicodeDecodeError: the bytes are not valid UTF-8.
    """
    separator = csv_separator(
        content if isinstance(content, bytes) else content.encode(errors="replace")
    )
    if isinstance(content, bytes):
        file_format = recognise(content)
        if file_format and not separator:
            raise ValueError(f"it is {file_format}")
        encoding = "utf-16" if content.startswith(_UTF_16_MARKS) else "utf-8-sig"
        text = content.decode(encoding)
    else:
        text = content.removeprefix("\ufeff")
    line_end = "\n" if "\n" in text else "\r"
    split = text.split(line_end)
    texts = csv_lines(split, separator) if separator else anki_lines(split)
    lines = enumerate(texts, start=1)
    return [(number, line) for number, line in lines if line and line.strip()]


def stream_lines(file: BufferedReader, max_bytes: float) -> Iterator[bytes]:
    """Yield all lines as bytes, with only one line in memory at a time.

    Args:
        file: opened at its beginning.
        max_bytes: the most bytes of the file, unpacked.

    Raises:
        ValueError: the file or one line is too large, or it is not text; the message names its
            format.
    """
    beginning = file.peek(INSPECTED_BYTES)[:INSPECTED_BYTES]
    separator = csv_separator(beginning)
    file_format = recognise_beginning(beginning)
    if file_format and not separator:
        raise ValueError(f"it is {file_format}")
    if beginning.startswith(_UTF_16_MARKS):
        file = BufferedReader(_Utf16AsUtf8(file))
    beginning = file.peek(INSPECTED_BYTES)[:INSPECTED_BYTES]
    if beginning.startswith(_UTF_8_MARK):
        file.read(len(_UTF_8_MARK))
    beginning = beginning.removeprefix(_UTF_8_MARK)
    is_of_old_mac = b"\r" in beginning and b"\n" not in beginning
    lines = (_lines_of_old_mac if is_of_old_mac else _lines)(file, max_bytes)
    if not separator and not beginning.startswith(b"#"):  # as the headers of Anki do
        yield from lines
        return
    texts = (line.decode("utf-8", "surrogateescape") for line in lines)
    for text in csv_lines(texts, separator) if separator else anki_lines(texts):
        if text is not None:
            yield text.encode("utf-8", "surrogateescape")


def _lines(file: BufferedReader, max_bytes: float) -> Iterator[bytes]:
    """Yield the lines of a UTF-8 file with LF line ends."""
    size = 0
    while line := file.readline(_MAX_LINE_BYTES):
        size += len(line)
        line_size = len(line)
        end = line
        while end and not end.endswith(b"\n"):
            end = file.readline(_MAX_LINE_BYTES)  # skipped
            size += len(end)
            line_size += len(end)
            if line_size > MAX_FILE_BYTES:  # a longer line could take hours
                raise ValueError("one line fills the whole file: is this a text file?")
            _check_size(size, max_bytes)
        _check_size(size, max_bytes)
        yield line.rstrip(b"\r\n")


class _Utf16AsUtf8(RawIOBase):
    """Decodes a UTF-16 file to UTF-8. An incomplete character becomes invalid UTF-8."""

    def __init__(self, file: BufferedReader) -> None:
        self._file = file
        self._decoder = codecs.getincrementaldecoder("utf-16")("surrogatepass")
        self._ready = b""  # bytes in UTF-8 that are not read yet

    def readable(self) -> bool:
        """Return True; ``BufferedReader`` requires this method."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer as far as possible; return the number of bytes, 0 at end of file."""
        at_end = False
        while not self._ready and not at_end:
            chunk = self._file.read(_CHUNK_BYTES)
            at_end = not chunk
            text = self._decoder.decode(chunk, final=at_end)
            self._ready = text.encode("utf-8", "surrogatepass")
        n = min(len(buffer), len(self._ready))
        buffer[:n] = self._ready[:n]
        self._ready = self._ready[n:]
        return n


def _lines_of_old_mac(file: BufferedReader, max_bytes: float) -> Iterator[bytes]:
    """Yield the lines of a file that begins without LF. Without any LF, CR ends the lines."""
    max_bytes = min(max_bytes, MAX_FILE_BYTES)
    content = file.read(int(max_bytes) + 2).removesuffix(b"\r")
    line_end = b"\n" if b"\n" in content else b"\r"
    _check_size(len(content), max_bytes)
    for line in content.split(line_end):
        yield line.rstrip(b"\r\n")


def _check_size(n_bytes: int, max_bytes: float) -> None:
    if n_bytes > max_bytes:
        raise ValueError(f"it has more than {max_bytes / 1e6:,.0f} MB: cut it into parts")
