"""The commands as a terminal runs them, many times: PyTorch is imported once, each run is a fork.

``python -m tests.hostile.terminal`` reads command lines as JSON lists, one a line, and answers each
with one JSON object.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import resource
import runpy
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.server import ROOT

COMMANDS = ("train", "translate", "evaluate", "analyse", "compare", "download")
PATIENCE = 60  # seconds until a command is ended
_MOST = 6 * 2**30  # bytes of addresses, PyTorch's own included


class Terminal:
    """Runs command lines.

    Args:
        process: that forks for each of them.
    """

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def run(self, command: str, *arguments: str) -> dict[str, Any]:
        """Run one; ``status``, ``error`` (the end of standard error) and ``seconds``."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps([command, *arguments]) + "\n")
        self._process.stdin.flush()
        return dict(json.loads(self._process.stdout.readline()))


@contextmanager
def terminal() -> Iterator[Terminal]:
    """A terminal for as long as the block lasts."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.hostile.terminal"],
        cwd=ROOT,
        env=os.environ | {"OMP_NUM_THREADS": "1", "no_proxy": "*"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield Terminal(process)
        process.stdin.close()


def _child(command: str, arguments: list[str], error: int) -> None:
    """Become the command. Never returns."""
    status = 1
    try:
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 0)
        os.dup2(nothing, 1)
        os.dup2(error, 2)
        signal.alarm(PATIENCE)
        resource.setrlimit(resource.RLIMIT_AS, (_MOST, _MOST))
        sys.argv = [f"model/{command}.py", *arguments]
        runpy.run_module(f"model.{command}", run_name="__main__", alter_sys=True)
        status = 0
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(OSError):
            sys.stderr.flush()
        os._exit(status)


def _serve() -> None:
    for command in COMMANDS:
        importlib.import_module(f"model.{command}")
        del sys.modules[f"model.{command}"]  # runpy warns of what is imported already
    for line in sys.stdin:
        command, *arguments = json.loads(line)
        begun = time.monotonic()
        with tempfile.TemporaryFile() as error:
            child = os.fork()
            if not child:
                _child(command, arguments, error.fileno())
            _, ended = os.waitpid(child, 0)
            error.seek(0)
            said = error.read().decode("utf-8", "replace")[-3000:]
        answer = {"status": os.waitstatus_to_exitcode(ended), "error": said}
        print(json.dumps(answer | {"seconds": time.monotonic() - begun}), flush=True)


if __name__ == "__main__":
    _serve()
