"""Files that somebody else wrote: a pipe waits for a writer and a device has no end, so neither is
ever read, nor more of a file than is expected."""

import os
import stat
from io import BufferedReader
from pathlib import Path

# Of a name that is none, or nothing that may be looked at, they are false.
is_regular, is_folder, exists = os.path.isfile, os.path.isdir, os.path.exists

_POINTER = b"version https://git-lfs.github.com/spec/"  # how such a file begins
_AT_ONCE = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)  # a pipe answers at once


def open_regular(path: str | Path) -> BufferedReader:
    """Open a file for reading; OSError if it is missing, cannot be read, is a folder, pipe or
    device, or only points to a file that git-lfs has not fetched."""
    descriptor = os.open(path, os.O_RDONLY | _AT_ONCE)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError("it is no regular file")
    file = os.fdopen(descriptor, "rb")
    if file.read(len(_POINTER)) == _POINTER:
        file.close()
        raise OSError("it is a pointer of git-lfs, not the file itself: run git lfs pull there")
    file.seek(0)
    return file


def read_regular(path: str | Path, limit: int) -> bytes:
    """The content of a file of at most ``limit`` bytes; OSError also for a larger one."""
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size > limit:
            raise OSError(f"it is larger than {limit / 1e6:,.0f} MB")
        return file.read(size)
