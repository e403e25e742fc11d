"""Visitors take turns."""

from __future__ import annotations

import sys

TURN = 0.0002  # seconds


def take_short_turns() -> None:
    """Let no thread keep Python's one interpreter lock for longer than ``TURN``.

    PyTorch gives the lock back at each of the thousands of small operations of a translation, and
    has to wait for it a whole turn where another visitor's page is being drawn. With Python's own
    turns of 5 ms a translation beside two busy threads took 14 s, with 0.5 ms 1.9 s, with 0.1 ms
    0.8 s.
    """
    sys.setswitchinterval(TURN)
