"""Wait for a condition that no thread or process reports."""

from collections.abc import Callable
from threading import Event
from time import monotonic

_SECONDS_BETWEEN_CHECKS = 0.05  # between two checks of a condition


def until(condition: Callable[[], object], *, patience: float = 60.0) -> None:
    """Return once a condition holds.

    Raises:
        AssertionError: the condition does not hold within ``patience`` seconds.
    """
    end = monotonic() + patience
    never = Event()
    while not condition():
        assert monotonic() < end, f"not within {patience:.0f} seconds"
        never.wait(_SECONDS_BETWEEN_CHECKS)
