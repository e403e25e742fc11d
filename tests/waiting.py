"""Waiting for a thing that no other thread or process tells of."""

from collections.abc import Callable
from threading import Event
from time import monotonic

_LOOK = 0.05  # seconds between two looks


def until(condition: Callable[[], object], *, patience: float = 60.0) -> None:
    """Come back once a condition holds; AssertionError if it does not in ``patience`` seconds."""
    end, never = monotonic() + patience, Event()
    while not condition():
        assert monotonic() < end, f"not within {patience:.0f} seconds"
        never.wait(_LOOK)
