"""Handle Ctrl-C during the slow imports of a command: exit with a one-line message.

A KeyboardInterrupt is not enough: some libraries catch whatever their own imports raise and go on,
and then the command runs to its end. As soon as the command itself runs,
``model.command_line.exit_status`` reports Ctrl-C.
"""

import os
import sys
from types import FrameType, TracebackType

# Python sets sys.argv[0] to "-m" while it looks up the module of `python -m model.COMMAND`.
# Programs that import `model` keep their own hook and handler.
_IS_COMMAND = sys.argv[:1] == ["-m"]
_STANDARD_ERROR = 2
_STOPPED_BY_CTRL_C = 130  # exit status, as shells count


def _report(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Report an uncaught error. Ctrl-C is reported without a traceback.

    Args:
        kind: the class of the error.
        error: the error.
        trace: its traceback.
    """
    if issubclass(kind, KeyboardInterrupt):
        if sys.stderr is not None:  # otherwise print would write to standard output
            print("\nstopped", file=sys.stderr)
    else:
        sys.__excepthook__(kind, error, trace)


if _IS_COMMAND:
    sys.excepthook = _report  # before the next import, which takes milliseconds

import signal  # noqa: E402
from contextlib import suppress  # noqa: E402


def _stop(_: int, __: FrameType | None) -> None:
    """End the process at once. There is nothing to clean up yet."""
    with suppress(OSError):  # in case standard error is closed
        os.write(_STANDARD_ERROR, b"\nstopped\n")
    os._exit(_STOPPED_BY_CTRL_C)


def raise_interrupts_again() -> None:
    """Restore KeyboardInterrupt for Ctrl-C after the imports."""
    if signal.getsignal(signal.SIGINT) is _stop:
        signal.signal(signal.SIGINT, signal.default_int_handler)


# A process that ignores Ctrl-C, such as a shell's background process, continues to ignore it.
if _IS_COMMAND and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, _stop)
