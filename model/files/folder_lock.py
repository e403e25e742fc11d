"""Lock a folder, so that only one process at a time works in it.

The operating system holds the lock for the process. So a lock ends with its process, however that
ends, and none is left to be removed by hand.
"""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from model.files.replacing import check_writable

IN_USE = ".in-use"  # end of the name of a lock file
_WAIT_SECONDS = 2.0  # a process that was killed a moment ago may still be ending


@contextmanager
def folder_lock(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder during the ``with`` block.

    The lock is a file beside the folder, ``.NAME.in-use``: the folder itself may be replaced. The
    file says which process holds it, and is removed at the end. It is not called ``NAME.lock``,
    because package managers write files of such names.

    Args:
        folder: the folder, or a file. It need not exist; its parents are made. A link has the lock
            of the folder to which it leads.

    Raises:
        ValueError: another process holds the lock, and the message says which; or the lock file
            cannot be written.
    """
    locked = folder.resolve()
    path = locked.parent / f".{locked.name}{IN_USE}"
    check_writable(path.parent)
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(path, timeout=_WAIT_SECONDS, on_acquired=_write_holder)
    try:
        lock.acquire()
    except Timeout as error:
        raise ValueError(
            f"{folder} is in use by {_read_holder(path)}: wait until that has ended, or choose a "
            "different folder"
        ) from error
    try:
        yield
    finally:
        with suppress(OSError):  # Windows does not remove a file that is open; FileLock will
            path.unlink()
        lock.release()


def _write_holder(descriptor: int) -> None:
    """Write into the lock file which process holds the lock."""
    text = f"process {os.getpid()} on {socket.gethostname()}"
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, text.encode(), 0)


def _read_holder(path: Path) -> str:
    """Describe the process that holds a lock, or return "another process" if it is unknown."""
    try:
        return path.read_text(encoding="utf-8", errors="replace") or "another process"
    except OSError:  # Windows lets nobody read a file that is locked
        return "another process"
