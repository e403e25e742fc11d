"""What the operator reads in the log: runs that were slow, and what is kept and waits.

A line names a page and its seconds, and nothing of the visitor. There is no page for it in the
app, which every visitor could open.
"""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

import streamlit as st
from streamlit.logger import get_logger

from ui.memory import memory

SLOW = 1.0  # seconds of a run that is worth a line
EVERY = 60.0  # seconds, at least, between two lines about the memory

P = ParamSpec("P")
R = TypeVar("R")
_PAGE = "watch.page"
_log = get_logger(__name__)


class _Run:
    """From when a page begins to run until this is dropped.

    Streamlit runs pages on threads that end with the run, so what belongs to the thread is
    dropped when the run ends, however it ends, and no page has to remember it.
    """

    def __init__(self, page: str) -> None:
        self.page, self.begun = page, time.perf_counter()

    def __del__(self) -> None:
        seconds = time.perf_counter() - self.begun
        if seconds > SLOW:
            _log.info("%s took %.1f s", self.page, seconds)
        _holdings.tell()


class _Holdings:
    """Says what is kept, when something happened and the last time is long ago."""

    def __init__(self) -> None:
        self._told, self._lock = 0.0, threading.Lock()

    def tell(self) -> None:
        """One line, or none."""
        with self._lock:
            if self._told and time.monotonic() - self._told < EVERY:
                return
            self._told = time.monotonic()
        _log.info("kept: %s", holdings())


def holdings() -> str:
    """What is in memory, largest first.

    >>> holdings()
    'nothing of 1000 MB'
    """
    kept = [f"{held.entries} {held.name} {held.bytes / 1e6:.0f} MB" for held in memory().held()]
    return f"{', '.join(kept) or 'nothing'} of {memory().limit / 1e6:.0f} MB"


_holdings = _Holdings()
_thread = threading.local()


def run_begins(page: str) -> None:
    """To be called where a page begins.

    Args:
        page: its name.
    """
    st.session_state[_PAGE] = page
    _thread.run = None  # ends the run before, if this thread made one
    _thread.run = _Run(page)


def fragment(draw: Callable[P, R] | None = None, *, run_every: str | None = None) -> Callable[P, R]:
    """``st.fragment``, whose own runs are watched, too."""

    @functools.wraps(draw)
    def watched(*args: P.args, **kwargs: P.kwargs) -> R:
        if getattr(_thread, "run", None) is None:
            _thread.run = _Run(f"{st.session_state.get(_PAGE)}, {draw.__name__}")
        return draw(*args, **kwargs)

    return cast(Callable[P, R], st.fragment(watched, run_every=run_every))
