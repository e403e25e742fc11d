"""What the operator reads in the log: runs that were slow, and what is kept and waits.

A line names a page and its seconds, and nothing of the visitor. There is no page for it in the
app, which every visitor could open.
"""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Callable
from typing import ParamSpec, TypeVar

import streamlit as st
from streamlit.logger import get_logger

from ui.server.queue import bench
from ui.server.turns import Turn
from ui.state.choices import changed
from ui.state.memory import memory

SLOW = 1.0  # seconds of a run that is worth a line
EVERY = 60.0  # seconds, at least, between two lines about the memory

P = ParamSpec("P")
R = TypeVar("R")
_PAGE = "log.page"
_log = get_logger(__name__)


class _Run:
    """From when a page waits for its turn to run until this is dropped.

    Streamlit runs pages on threads that end with the run, so what belongs to the thread is
    dropped when the run ends, however it ends, and no page has to remember it.
    """

    def __init__(self, page: str) -> None:
        self.page, self.begun = page, time.perf_counter()
        self.turn = Turn()

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
    """What is in memory, largest first, and how much work is there."""
    kept = [f"{held.entries} {held.name} {held.bytes / 1e6:.0f} MB" for held in memory().held()]
    limit = f"{memory().limit / 1e6:.0f} MB"
    return f"{', '.join(kept) or 'nothing'} of {limit}; {bench().length} jobs at work or waiting"


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


def fragment(draw: Callable[P, R], *, run_every: float | None = None) -> Callable[P, R]:
    """``st.fragment``, whose own runs are watched, too, and never hide what a click has changed.

    A click in a fragment runs it alone. Where the click has set a choice, the page around it runs
    again, too: it shows that choice.

    Args:
        draw: what it draws.
        run_every: seconds from one run of its own to the next; None for none.
    """
    return st.fragment(_watched(draw), run_every=run_every)  # noqa: TID251 - the one place


def _watched(draw: Callable[P, R]) -> Callable[P, R]:
    @functools.wraps(draw)
    def watched(*args: P.args, **kwargs: P.kwargs) -> R:
        if changed():
            st.rerun()
        if getattr(_thread, "run", None) is None:  # the page around it does not run
            _thread.run = _Run(f"{st.session_state.get(_PAGE)}, {draw.__name__}")
        return draw(*args, **kwargs)

    return watched
