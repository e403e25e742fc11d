"""Visitors take turns."""

from __future__ import annotations

import sys
import threading

TURN = 0.0002  # seconds
AT_ONCE = 2  # pages that run
PATIENCE = 5.0  # seconds; who has waited so long runs beside the others

_places = threading.BoundedSemaphore(AT_ONCE)


class Turn:
    """A place among the pages that run, from when this is made until it is dropped.

    Python runs one thread at a time, so many pages at once are no sooner done than two: one draws
    while the other multiplies matrices. They are later: of fifty visitors with a new sentence every
    10 s, who all were let in, half waited for 1.4 s, and for 0.17 s where two were.
    """

    def __init__(self) -> None:
        self._has_place = _places.acquire(timeout=PATIENCE)

    def __del__(self) -> None:
        if self._has_place:
            _places.release()


def take_short_turns() -> None:
    """Let no thread keep Python's one interpreter lock for longer than ``TURN``.

    PyTorch gives the lock back at each of the thousands of small operations of a translation, and
    has to wait for it a whole turn where another visitor's page is being drawn. With Python's own
    turns of 5 ms a translation beside two busy threads took 14 s, with 0.5 ms 1.9 s, with 0.1 ms
    0.8 s.
    """
    sys.setswitchinterval(TURN)
