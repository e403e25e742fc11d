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
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tests.server import ROOT

COMMANDS = ("train", "translate", "evaluate", "analyse", "compare", "download")
PATIENCE = 60  # seconds until a command is ended
_MOST = 6 * 2**30  # bytes of addresses, PyTorch's own included

Run = Callable[..., dict[str, Any]]


@contextmanager
def terminal() -> Iterator[Run]:
    """Runs command lines for as long as the block lasts.

    Yields:
        a function of the words of a command line; it gives the ``status`` and the ``error``, which
        is the end of standard error.
    """
    with subprocess.Popen(
        [sys.executable, "-m", "tests.hostile.terminal"],
        cwd=ROOT,
        env=os.environ | {"OMP_NUM_THREADS": "1", "no_proxy": "*"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin
        assert process.stdout

        def run(*words: str) -> dict[str, Any]:
            print(json.dumps(words), file=process.stdin, flush=True)
            return dict(json.loads(process.stdout.readline()))

        yield run
        process.stdin.close()


def _child(command: str, arguments: list[str], error: int) -> None:
    """Become the command. Never returns."""
    status = 1
    try:
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream, file in enumerate((nothing, nothing, error)):
            os.dup2(file, stream)
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
        with tempfile.TemporaryFile() as error:
            child = os.fork()
            if not child:
                _child(command, arguments, error.fileno())
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            error.seek(0)
            said = error.read().decode("utf-8", "replace")[-3000:]
        print(json.dumps({"status": status, "error": said}), flush=True)


if __name__ == "__main__":
    _serve()
