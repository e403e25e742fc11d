"""Read only regular files of limited size.

A pipe would wait for a writer, and a device has no end: neither is ever read.
"""

import os
import stat
from io import BufferedReader
from pathlib import Path

from model.files.file_format import INSPECTED_BYTES, recognise_pointer

# The functions of os.path return False for an impossible name or missing access rights. The methods
# of Path raise an error.
is_regular = os.path.isfile
is_folder = os.path.isdir
exists = os.path.exists

# With O_NONBLOCK, opening a pipe does not wait. With O_BINARY, Windows does not change line ends.
# Not every system has both flags.
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class PointerError(OSError):
    """The error for a pointer file of git-lfs or git-annex, whose content was not fetched."""


def open_regular(path: str | Path) -> BufferedReader:
    """Open a file for reading. Raise an error unless it is a regular file.

    Raises:
        PointerError: git-lfs or git-annex has not fetched it.
        OSError: it is missing, cannot be read, or is a folder, pipe or device.
    """
    descriptor = os.open(path, _FLAGS)
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        raise OSError("it is a folder" if stat.S_ISDIR(mode) else "it is not a regular file")
    file = os.fdopen(descriptor, "rb")
    if pointer := recognise_pointer(file.peek(INSPECTED_BYTES)):
        file.close()
        raise PointerError(f"it is {pointer}")
    return file


def read_regular(path: str | Path, max_bytes: int) -> bytes:
    """Return the content of a regular file of limited size.

    Raises:
        OSError: it cannot be opened by ``open_regular``, or is larger than ``max_bytes``.
    """
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size > max_bytes:
            raise OSError(f"it is larger than {max_bytes / 1e6:,.0f} MB")
        return file.read(size)
