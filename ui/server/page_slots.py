"""Limit the number of pages that run at once, so that no visitor blocks the others.

Python runs one thread at a time. So many pages at once are not faster than two at once, of which
one draws while the other multiplies matrices. They are slower: with fifty visitors and a new
sentence every 10 s, half of the visitors waited 1.4 s if all pages ran at once, and 0.17 s if two
pages did.
"""

import functools
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import ParamSpec, TypeVar

import streamlit as st

from ui.server.log import log_run
from ui.state.visitor import visitor

P = ParamSpec("P")
R = TypeVar("R")

MAX_RUNNING_PAGES = 2
MAX_WAITING_SECONDS = 5.0  # a page that has waited this long runs without a slot
# Seconds for which a thread may hold Python's interpreter lock. PyTorch releases the lock at each
# of the thousands of small operations of a translation. If another visitor's page is being drawn,
# the translation then waits for this interval. With Python's default of 5 ms, a translation beside
# two busy threads took 14 s; with 0.5 ms, 1.9 s; with 0.1 ms, 0.8 s.
SWITCH_INTERVAL = 0.0002

_PAGE = "log.page"  # key of the session: the page that its fragments belong to
_slots = threading.BoundedSemaphore(MAX_RUNNING_PAGES)
_thread = threading.local()


@contextmanager
def page_slot(page: str) -> Iterator[None]:
    """Wait for a slot, run the ``with`` block, and always release the slot afterwards.

    Streamlit ends a run early with an exception (a new click, ``st.rerun``, ``st.switch_page``).
    The slot is released in this case, too.
    """
    sys.setswitchinterval(SWITCH_INTERVAL)
    st.session_state[_PAGE] = page
    with _slot(page):
        yield


def fragment(draw: Callable[P, R], *, run_every: float | None = None) -> Callable[P, R]:
    """Return ``st.fragment`` of a function. Runs of the fragment also wait for a slot.

    A click in a fragment runs only the fragment. If the click has set a field of the address, the
    whole page runs again, because all of it depends on that field. It also does if a part outside
    the fragment depends on the click: see ``watch`` in ``ui.state.visitor``.

    Args:
        draw: draws the fragment.
        run_every: seconds between automatic runs; None for no automatic runs.
    """
    return st.fragment(_in_slot(draw), run_every=run_every)  # noqa: TID251 - called nowhere else


@contextmanager
def _slot(name: str) -> Iterator[None]:
    """Run the block in a slot, or without one after ``MAX_WAITING_SECONDS``; log a slow run.

    ``name`` is what the log calls the run.
    """
    start_time = time.perf_counter()
    has_slot = _slots.acquire(timeout=MAX_WAITING_SECONDS)
    _thread.is_running = True
    try:
        yield
    finally:
        _thread.is_running = False
        if has_slot:
            _slots.release()
        log_run(name, time.perf_counter() - start_time)


def _in_slot(draw: Callable[P, R]) -> Callable[P, R]:
    """Return a function that draws a fragment in a slot; see ``fragment``."""

    @functools.wraps(draw)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        if visitor().has_clicked:
            st.rerun()
        if getattr(_thread, "is_running", False):  # the page has a slot
            return draw(*args, **kwargs)
        if visitor().has_outdated_parts:
            st.rerun()
        with _slot(f"{st.session_state.get(_PAGE)}, {draw.__name__}"):
            return draw(*args, **kwargs)

    return run
