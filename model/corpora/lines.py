"""Split the bytes of a text file into lines.

Files come from many editors. They may begin with a byte order mark, and their lines may end as on
Unix (LF), on Windows (CR LF) or on a Mac before 2001 (CR).

``stream_lines`` reads a corpus of any size. ``numbered_lines`` reads a small file as a whole.
"""

from collections.abc import Iterator
from io import BufferedReader

MAX_FILE_BYTES = 500_000_000  # size of a file that is read into memory
UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_UTF_8_MARK = b"\xef\xbb\xbf"
_INSPECTED_BYTES = 1000  # at the beginning of a file: enough to see that it is not text
_MAX_LINE_BYTES = 1_000_000  # the rest of a longer line is skipped


def numbered_lines(content: bytes | str) -> list[tuple[int, str]]:
    """Return the number, from 1, and the text of every line that is not empty.

    A carriage return inside a line stays, and so does the one before a line feed.

    Raises:
        UnicodeDecodeError: the bytes are not valid UTF-8.
    """
    text = content if isinstance(content, str) else content.decode("utf-8-sig")
    line_end = "\n" if "\n" in text else "\r"
    lines = enumerate(text.split(line_end), start=1)
    return [(number, line) for number, line in lines if line.strip()]


def stream_lines(file: BufferedReader, max_bytes: float) -> Iterator[bytes]:
    """Yield all lines as bytes, with only one line in memory at a time.

    Args:
        file: opened at its beginning.
        max_bytes: the file may be this large, unpacked.

    Raises:
        ValueError: the file or one line is too large, or the file is not UTF-8 text.
    """
    beginning = file.peek(_INSPECTED_BYTES)[:_INSPECTED_BYTES]
    if beginning[:2] in UTF_16_MARKS or b"\0" in beginning:
        raise ValueError("it is no UTF-8 text (UTF-16?): save it as UTF-8")
    if beginning.startswith(_UTF_8_MARK):
        file.read(len(_UTF_8_MARK))

    if b"\r" in beginning and b"\n" not in beginning:
        yield from _lines_of_old_mac(file, max_bytes)
        return
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


def _lines_of_old_mac(file: BufferedReader, max_bytes: float) -> Iterator[bytes]:
    """Yield the lines of a file that begins without LF: CR is the line end, unless LF follows."""
    max_bytes = min(max_bytes, MAX_FILE_BYTES)
    content = file.read(int(max_bytes) + 2).removesuffix(b"\r")
    line_end = b"\n" if b"\n" in content else b"\r"
    _check_size(len(content), max_bytes)
    for line in content.split(line_end):
        yield line.rstrip(b"\r\n")


def _check_size(n_bytes: int, max_bytes: float) -> None:
    if n_bytes > max_bytes:
        raise ValueError(f"it has more than {max_bytes / 1e6:,.0f} MB: cut it into parts")
