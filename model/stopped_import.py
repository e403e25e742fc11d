"""Ctrl-C while a command still imports its libraries, which takes seconds, ends it in one line.

Later, ``model.command_line.exit_status`` reports it.
"""

import sys
from types import TracebackType


def _report(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Report an error that nothing has caught; Ctrl-C without its traceback."""
    if issubclass(kind, KeyboardInterrupt):
        print("\nstopped", file=sys.stderr)
    else:
        sys.__excepthook__(kind, error, trace)


# Python writes "-m" here while it looks for the module of `python -m model.COMMAND`. Programs that
# import `model` keep their own hook.
if sys.argv[:1] == ["-m"]:
    sys.excepthook = _report
