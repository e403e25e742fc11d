"""A visitor's own model: on this server's disk, known to one session, and gone with it.

Nothing but the session knows its folder, whose name nobody can guess. What is computed with the
model lies in the memory that all share, under that folder's name, bounded like all the rest.
"""

from __future__ import annotations

import atexit
import functools
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Container
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, TextIO

import streamlit as st
import torch
from streamlit.runtime.scriptrunner import get_script_run_ctx

from model import CheckpointError
from model.files.archive import ArchiveError, megabytes
from model.uploaded import open_uploaded
from ui.state.limits import upload_bytes, uploads_bytes
from ui.state.memory import bytes_of, memory

_OWN = "own/"  # what an address calls it: no folder's name has a slash
_SESSION = "own_model"
_FOLDERS = "attention-explorer-"
_LOCK = "lock"
_SHARE = 4  # of the memory for all visitors, what one model may take: one over so many
_LONGEST = 40  # characters of its name
_one_at_a_time = threading.Lock()


class OwnModel:
    """A checkpoint that one visitor has opened.

    Args:
        folder: of the checkpoint; the folder around it is its own, too.
        session: Streamlit's name of the visitor's session.

    ``size`` is how many bytes it has on the disk, ``seen`` when its visitor was last known to be
    there.
    """

    def __init__(self, folder: Path, session: str) -> None:
        self.folder, self.session, self.seen = folder, session, time.monotonic()
        self.size = sum(path.stat().st_size for path in folder.rglob("*"))

    @property
    def name(self) -> str:
        """What an address calls it."""
        return f"{_OWN}{self.folder.name}"

    def remove(self) -> None:
        """From the disk; it can be called again."""
        shutil.rmtree(self.folder.parent, ignore_errors=True)
        if self in _all:
            _all.remove(self)


_all: list[OwnModel] = []
_roots: list[tuple[Path, TextIO]] = []  # one at most, with its lock


def own_model() -> OwnModel | None:
    """The visitor's; None where there is none, or no visitor."""
    if get_script_run_ctx(suppress_warning=True) is None:
        return None
    found: OwnModel | None = st.session_state.get(_SESSION)
    return found if found in _all else None


def is_own(name: str) -> bool:
    """Whether an address names a model that only one visitor has, or had."""
    return name.startswith(_OWN)


def open_own(file: BinaryIO, file_name: str, *, others: Container[str]) -> OwnModel:
    """Unpack a model and make it the visitor's, in place of the one before.

    Args:
        file: a zip of its folder.
        file_name: of the zip, as the visitor's system calls it.
        others: names of models that this one must not be taken for.

    Raises:
        CheckpointError: it cannot be used, or there is no room; the one before stays.
    """
    with _one_at_a_time:
        limit = upload_bytes()
        if sum(own.size for own in _all) + limit > uploads_bytes():
            raise ArchiveError("no_room")
        try:
            folder = Path(tempfile.mkdtemp(dir=_root())) / _named(file_name, others)
        except OSError as error:
            raise ArchiveError("no_room") from error
        try:
            _look_at(file, folder, limit)
        except BaseException:
            shutil.rmtree(folder.parent, ignore_errors=True)
            raise
        own = OwnModel(folder, _session())
        _all.append(own)
    forget_own()
    st.session_state[_SESSION] = own
    return own


def forget_own() -> None:
    """Remove the visitor's own model, if there is one."""
    if own := own_model():
        own.remove()


def remove_left(is_here: Callable[[str], bool], patience: float) -> None:
    """Remove the models of visitors who have left.

    Streamlit drops what a session held some time after its end, and tells nobody.

    Args:
        is_here: whether the visitor of a session is connected.
        patience: seconds in which one may come back, after a pause of the network.
    """
    now = time.monotonic()
    for own in list(_all):
        if is_here(own.session):
            own.seen = now
        elif now - own.seen > patience:
            own.remove()


def _session() -> str:
    context = get_script_run_ctx(suppress_warning=True)
    return context.session_id if context else ""


def _look_at(file: BinaryIO, folder: Path, limit: int) -> None:
    """Unpack it; CheckpointError if it cannot be used, or would push all others out of memory."""
    torch.set_num_threads(1)  # as for all models, see ui.state.models
    needed, most = bytes_of(open_uploaded(file, folder, limit=limit)), memory().limit // _SHARE
    if needed > most:
        raise CheckpointError(
            f"The model takes {megabytes(needed)} MB in memory, and at most {megabytes(most)} "
            "are given to one here: open a smaller one."
        )


def _named(file_name: str, others: Container[str]) -> str:
    """A folder's name for a zip's: letters, digits, ``-`` and ``_``, in any language."""
    stem = file_name.rpartition(".")[0] or file_name
    kept = "".join(sign if sign.isalnum() or sign in "-_" else "-" for sign in stem[:_LONGEST])
    name = kept.strip("-") or "model"
    return f"{name}-own" if name in others else name


@functools.cache
def _root() -> Path:
    """The folder of all visitors' models, that no other user of this machine can read."""
    remove_leftovers()
    root = Path(tempfile.mkdtemp(prefix=_FOLDERS))
    lock = (root / _LOCK).open("w")
    _locked(lock)
    _roots.append((root, lock))
    atexit.register(leave_nothing)
    return root


def leave_nothing() -> None:
    """Remove all models of all visitors: the server ends."""
    while _roots:
        root, lock = _roots.pop()
        lock.close()  # Windows removes no open file
        shutil.rmtree(root, ignore_errors=True)
    _root.cache_clear()


def remove_leftovers() -> None:
    """Remove what a server left behind that was killed: its lock is free."""
    for root in Path(tempfile.gettempdir()).glob(f"{_FOLDERS}*"):
        with suppress(OSError), (root / _LOCK).open("r+") as lock:
            if _locked(lock):
                shutil.rmtree(root, ignore_errors=True)


def _locked(file: TextIO) -> bool:
    """Take a lock that the system frees when the process ends; False where another has it."""
    if sys.platform == "win32":
        return False  # it knows no such lock: leftovers stay there
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
