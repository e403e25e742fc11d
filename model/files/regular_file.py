"""Files that somebody else wrote: a pipe waits for a writer and a device has no end, so neither is
ever read, nor more of a file than is expected."""

from __future__ import annotations

import os
import stat
from io import BufferedReader
from pathlib import Path

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


def is_regular(path: Path) -> bool:
    """Whether this is a file with content of its own, or a link to one."""
    return stat.S_ISREG(_mode(path))


def is_folder(path: Path) -> bool:
    """Whether this is a folder, or a link to one."""
    return stat.S_ISDIR(_mode(path))


def is_there(path: Path) -> bool:
    """Whether something has this name, whatever it is; a broken link is nothing."""
    return _mode(path) != 0


def _mode(path: Path) -> int:
    """0 where there is nothing, or nothing that may be looked at, or the name is none."""
    try:
        return path.stat().st_mode
    except (OSError, ValueError):
        return 0
