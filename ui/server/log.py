"""What surrounds a run of a page: its turn among the visitors', and what the operator reads of it.

The log tells of runs that were slow, and what is kept and waits. A line names a page and its
seconds, and nothing of the visitor. There is no page for it in the app, which every visitor could
open.
"""

import functools
import math
import sys
import threading
import time
from collections.abc import Callable
from typing import ParamSpec, TypeVar

import streamlit as st
from streamlit.logger import get_logger

from ui.server.queue import work_queue
from ui.state.memory import memory
from ui.state.visitor import visitor

# Seconds for which a thread may keep Python's one interpreter lock. PyTorch gives the lock back at
# each of the thousands of small operations of a translation, and has to wait for it a whole turn
# where another visitor's page is being drawn. With Python's own turns of 5 ms a translation beside
# two busy threads took 14 s, with 0.5 ms 1.9 s, with 0.1 ms 0.8 s.
SWITCH_INTERVAL = 0.0002
AT_ONCE = 2  # pages that run
PATIENCE = 5.0  # seconds; who has waited so long runs beside the others
SLOW = 1.0  # seconds of a run that is worth a line
EVERY = 60.0  # seconds, at least, between two lines about the memory

P = ParamSpec("P")
R = TypeVar("R")
_PAGE = "log.page"
_log = get_logger(__name__)
_places = threading.BoundedSemaphore(AT_ONCE)
_lock = threading.Lock()
_told = -math.inf  # when the last line about the memory was written


class PageTimer:
    """A page that runs, or waits for its turn to, until this is dropped.

    Streamlit runs pages on threads that end with the run, so what belongs to the thread is
    dropped when the run ends, however it ends, and no page has to remember it.

    Python runs one thread at a time, so many pages at once are no sooner done than two: one draws
    while the other multiplies matrices. They are later: of fifty visitors with a new sentence every
    10 s, who all were let in, half waited for 1.4 s, and for 0.17 s where two were.
    """

    def __init__(self, page: str) -> None:
        self.page, self.begun = page, time.perf_counter()
        self._has_place = _places.acquire(timeout=PATIENCE)

    def __del__(self) -> None:
        if self._has_place:
            _places.release()
        seconds = time.perf_counter() - self.begun
        if seconds > SLOW:
            _log.info("%s took %.1f s", self.page, seconds)
        _tell_holdings()


def _tell_holdings() -> None:
    """Say what is kept, unless that was said not long ago."""
    global _told
    with _lock:
        if time.monotonic() - _told < EVERY:
            return
        _told = time.monotonic()
    _log.info("kept: %s", holdings())


def holdings() -> str:
    """What is in memory, largest first, and how much work is there."""
    kept = [f"{held.entries} {held.name} {held.bytes / 1e6:.0f} MB" for held in memory().held()]
    limit = f"{memory().limit / 1e6:.0f} MB"
    return (
        f"{', '.join(kept) or 'nothing'} of {limit}; {work_queue().length} jobs at work or waiting"
    )


_thread = threading.local()


def run_begins(page: str) -> None:
    """To be called where a page begins, with its name."""
    sys.setswitchinterval(SWITCH_INTERVAL)
    st.session_state[_PAGE] = page
    _thread.run = None  # ends the run before, if this thread made one
    _thread.run = PageTimer(page)


def fragment(draw: Callable[P, R], *, run_every: float | None = None) -> Callable[P, R]:
    """``st.fragment``, whose own runs are watched, too, and never hide what a click has changed.

    A click in a fragment runs it alone. Where the click has set a choice, the page around it runs
    again, too: it shows that choice.

    ``run_every`` is the number of seconds from one run of its own to the next; None for none.
    """
    return st.fragment(_watched(draw), run_every=run_every)  # noqa: TID251 - the one place


def _watched(draw: Callable[P, R]) -> Callable[P, R]:
    @functools.wraps(draw)
    def watched(*args: P.args, **kwargs: P.kwargs) -> R:
        if visitor().has_clicked:
            st.rerun()
        if getattr(_thread, "run", None) is None:  # the page around it does not run
            _thread.run = PageTimer(f"{st.session_state.get(_PAGE)}, {draw.__name__}")
        return draw(*args, **kwargs)

    return watched
