"""The operator's log: slow runs, results in memory, and waiting jobs.

A line names a page and its seconds, but nothing about the visitor. The app has no page for the
log, because every visitor could open it.
"""

import math
import threading
import time

from streamlit.logger import get_logger

from ui.server.queue import work_queue
from ui.state.memory import memory

SLOW_RUN_SECONDS = 1.0  # a run that takes longer is logged
SECONDS_BETWEEN_MEMORY_LINES = 60.0  # at least

_log = get_logger(__name__)
_lock = threading.Lock()
_last_memory_line = -math.inf  # time when it was written


def log_run(name: str, seconds: float) -> None:
    """Log a run if it was slow, and log the memory use from time to time."""
    if seconds > SLOW_RUN_SECONDS:
        _log.info("%s took %.1f s", name, seconds)
    _log_memory()


def memory_line() -> str:
    """Return a line with the results in memory, largest first, and the number of jobs."""
    parts = [
        f"{usage.entries} {usage.name} {usage.bytes / 1e6:.0f} MB" for usage in memory().usage()
    ]
    limit = f"{memory().limit / 1e6:.0f} MB"
    jobs = work_queue().length
    return f"{', '.join(parts) or 'nothing'} of {limit}; {jobs} jobs at work or waiting"


def _log_memory() -> None:
    """Write ``memory_line`` into the log, unless the last one is too recent."""
    global _last_memory_line
    with _lock:
        if time.monotonic() - _last_memory_line < SECONDS_BETWEEN_MEMORY_LINES:
            return
        _last_memory_line = time.monotonic()
    _log.info("kept: %s", memory_line())
