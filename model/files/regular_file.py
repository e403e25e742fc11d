"""Read only regular files of limited size.

A pipe would wait for a writer, and a device has no end: neither is ever read.
"""

import os
import stat
from io import BufferedReader
from pathlib import Path

from model.files.file_format import INSPECTED_BYTES, recognise_pointer

# They return False for a name that no file can have, and for a file without access rights. The
# methods of Path raise an error there.
is_regular = os.path.isfile
is_folder = os.path.isdir
exists = os.path.exists

# O_NONBLOCK: opening a pipe does not wait. O_BINARY: Windows changes no bytes. Not every system has
# both.
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class PointerError(OSError):
    """A file only says where its content is: git-lfs or git-annex has not fetched it."""


def open_regular(path: str | Path) -> BufferedReader:
    """Open a file for reading.

    Raises:
        PointerError: git-lfs or git-annex has not fetched it.
        OSError: it is missing, cannot be read, or is a folder, pipe or device.
    """
    descriptor = os.open(path, _FLAGS)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError("it is no regular file")
    file = os.fdopen(descriptor, "rb")
    if pointer := recognise_pointer(file.peek(INSPECTED_BYTES)):
        file.close()
        raise PointerError(f"it is {pointer}")
    return file


def read_regular(path: str | Path, max_bytes: int) -> bytes:
    """Return the content of a file.

    Raises:
        OSError: it cannot be opened by ``open_regular``, or is larger than ``max_bytes``.
    """
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size > max_bytes:
            raise OSError(f"it is larger than {max_bytes / 1e6:,.0f} MB")
        return file.read(size)
