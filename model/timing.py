"""Measure the time of short computations."""

import math
import time
from collections.abc import Callable


def quickest_run(
    run: Callable[[], object], *, repeats: int, max_seconds: float = math.inf
) -> float:
    """Time several runs, and return the seconds of the fastest run.

    The quickest run counts, because whatever else the machine does can only add time. One more run
    comes first and is not timed: it also asks the system for memory.

    Args:
        run: what is timed.
        repeats: how many runs are timed at most; at least 1.
        max_seconds: no further run begins once all runs together have taken as long.
    """
    run()
    seconds: list[float] = []
    while len(seconds) < repeats and sum(seconds) < max_seconds:
        begin = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - begin)
    return min(seconds)
