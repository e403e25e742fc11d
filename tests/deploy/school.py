"""Serve the app with several processes behind nginx, as `make serve` does."""

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from deploy.health import LOOPBACK
from tests.deploy.asking import ask
from tests.server import ROOT, free_port
from tests.waiting import until

_PATIENCE = 120  # seconds until all processes answer


@dataclass(frozen=True)
class School:
    """The running processes."""

    port: int  # port of nginx
    process: subprocess.Popen  # the process that has started all others
    log: Path  # output of all processes

    @property
    def address(self) -> str:
        """Address of the front page."""
        return f"http://{LOOPBACK}:{self.port}"

    @property
    def everyone(self) -> dict[int, str]:
        """Process id -> command line, of all processes and their children."""
        return _children(self.process.pid)

    @property
    def replicas(self) -> dict[str, int]:
        """Return the processes of the app: port as text, as in a visitor's cookie -> process id."""
        matches = {
            n: re.search(r"--server\.port\0(\d+)\0", command)
            for n, command in self.everyone.items()
        }
        return {port[1]: number for number, port in matches.items() if port}

    @property
    def proxy(self) -> list[int]:
        """Process ids of nginx and its workers."""
        return [number for number, command in self.everyone.items() if "nginx: " in command]

    def newcomer(self) -> str:
        """Return the cookie that a browser gets with its first page."""
        return ask(self.port).cookie


@contextmanager
def school(log: Path, replicas: int, *command: str) -> Iterator[School]:
    """Serve the app until the block ends. The replicas run ``python`` with these arguments."""
    port = _free_row(replicas + 1)
    options = ["--replicas", str(replicas), "--port", str(port)]
    with log.open("w") as output:
        process = subprocess.Popen(
            [sys.executable, *(command or ("-m", "deploy.serve")), *options],
            cwd=ROOT,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        until(lambda: process.poll() or "Ctrl-C ends" in log.read_text(), patience=_PATIENCE)
        assert process.poll() is None, log.read_text()
        yield School(port, process, log)
    finally:
        process.terminate()
        process.wait(timeout=40)


def kill(process: int) -> None:
    """Kill a process with SIGKILL."""
    os.kill(process, signal.SIGKILL)


def runs(process: int) -> bool:
    """Return whether the process is still running."""
    with suppress(FileNotFoundError):
        return Path(f"/proc/{process}/cmdline").read_text() != ""
    return False


def _children(parent: int) -> dict[int, str]:
    commands = {}
    with suppress(FileNotFoundError):  # the process may end meanwhile
        for child in Path(f"/proc/{parent}/task/{parent}/children").read_text().split():
            commands[int(child)] = Path(f"/proc/{child}/cmdline").read_text()
            commands |= _children(int(child))
    return commands


def _free_row(n: int) -> int:
    """Return the first of n free consecutive ports."""
    while True:
        first = free_port()
        with suppress(OSError, OverflowError), ExitStack() as held:
            for port in range(first, first + n):
                held.enter_context(socket.create_server((LOOPBACK, port)))
            return first
