"""Ctrl-C while a command still imports its libraries, which takes seconds, ends it in one line.

A KeyboardInterrupt is not enough: some libraries catch whatever their own imports raise and go on,
and then the command runs to its end. As soon as the command itself runs,
``model.command_line.exit_status`` reports Ctrl-C.
"""

import os
import signal
import sys
from contextlib import suppress
from types import FrameType

_STANDARD_ERROR = 2
_STOPPED_BY_CTRL_C = 130  # exit status, as shells count


def _stop(_: int, __: FrameType | None) -> None:
    """End the process at once; there is nothing to clean up yet."""
    with suppress(OSError):  # standard error is closed
        os.write(_STANDARD_ERROR, b"\nstopped\n")
    os._exit(_STOPPED_BY_CTRL_C)


def raise_interrupts_again() -> None:
    """Let Ctrl-C raise KeyboardInterrupt, now that the imports are over."""
    if signal.getsignal(signal.SIGINT) is _stop:
        signal.signal(signal.SIGINT, signal.default_int_handler)


# Python writes "-m" here while it looks for the module of `python -m model.COMMAND`. Programs that
# import `model` keep their own handler, and a process that ignores Ctrl-C goes on ignoring it.
if sys.argv[:1] == ["-m"] and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, _stop)
