"""Progress bars for all commands: a bar in a terminal, occasional lines in a log."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any, TextIO

from tqdm import tqdm

SECONDS_BETWEEN_LINES = 60
_LINE = "{desc}{percentage:3.0f}% {n_fmt}/{total_fmt} [{elapsed}<{remaining}, {rate_fmt}{postfix}]"


class _LogLines:
    """A file for a progress bar. Each state of the bar becomes a separate line."""

    def __init__(self, log: TextIO) -> None:
        self._log = log

    def write(self, text: str) -> None:
        """Write a line without the control characters that move a terminal's cursor."""
        line = text.strip()
        if line:
            self._log.write(f"{line}\n")

    def flush(self) -> None:
        """Flush the log, so that the line is visible at once."""
        self._log.flush()


def progress_bar(
    steps: Iterable[Any] | None = None,
    *,
    total: int | None = None,
    initial: int = 0,
    description: str = "",
    unit: str = "it",
    in_bytes: bool = False,
    hidden: bool = False,
) -> tqdm[Any]:
    """Return a progress bar on standard error.

    Where standard error is not a terminal (``nohup``, Slurm, a log file), it writes a line at the
    start, every ``SECONDS_BETWEEN_LINES``, and at the end.

    Args:
        steps: what to iterate over; None if the caller updates the bar.
        total: the number of steps or bytes; None takes that of ``steps``, if it is known.
        initial: how many were done before.
        description: what the bar begins with.
        unit: the name of a step.
        in_bytes: count bytes, shown as kB and MB.
        hidden: show nothing.
    """
    in_log = sys.stderr is not None and not sys.stderr.isatty()
    return tqdm(
        steps,
        total=total,
        initial=initial,
        desc=f"{description}: " if description else None,
        unit="B" if in_bytes else unit,
        unit_scale=in_bytes,
        unit_divisor=1024,  # of bytes; other units are not divided
        disable=hidden,
        file=_LogLines(sys.stderr) if in_log else sys.stderr,
        mininterval=SECONDS_BETWEEN_LINES if in_log else 0.1,
        miniters=1 if in_log else None,  # so that only the time decides when it is drawn
        bar_format=_LINE if in_log else None,
    )
