"""A school: the app in several processes behind nginx, as `make serve` starts it."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from deploy.serve import LOOPBACK
from tests.deploy.asking import ask
from tests.server import ROOT, free_port
from tests.waiting import until

_PATIENCE = 120  # seconds until all processes answer


@dataclass(frozen=True)
class School:
    """What is running.

    Args:
        port: of nginx.
        supervisor: what has started all.
        log: what they say.
    """

    port: int
    supervisor: subprocess.Popen
    log: Path

    @property
    def address(self) -> str:
        """Of its front page."""
        return f"http://{LOOPBACK}:{self.port}"

    @property
    def replicas(self) -> dict[str, int]:
        """Port of each process of the app, as a cookie names it, and its number in the system."""
        return {
            port: number
            for number, command in _children(self.supervisor.pid).items()
            for port in re.findall(r"--server\.port\0(\d+)\0", command)
        }

    @property
    def proxy(self) -> list[int]:
        """Numbers of nginx and of its workers."""
        children = _children(self.supervisor.pid)
        [nginx] = [number for number, command in children.items() if "nginx" in command]
        return [nginx, *_children(nginx)]

    def kill(self, replica: str) -> None:
        """Without a warning."""
        os.kill(self.replicas[replica], signal.SIGKILL)

    def newcomer(self) -> str:
        """The cookie that a browser gets with its first page."""
        return ask(self.port).cookie


@contextmanager
def school(log: Path, replicas: int) -> Iterator[School]:
    """Serve it for as long as the block lasts."""
    port = _free_row(replicas + 1)
    command = [sys.executable, "-m", "deploy.serve", "--replicas", str(replicas)]
    with log.open("w") as said:
        supervisor = subprocess.Popen(
            [*command, "--port", str(port)], cwd=ROOT, stdout=said, stderr=subprocess.STDOUT
        )
    try:
        until(lambda: supervisor.poll() or "Ctrl-C ends" in log.read_text(), patience=_PATIENCE)
        assert supervisor.poll() is None, log.read_text()
        yield School(port, supervisor, log)
    finally:
        supervisor.terminate()
        supervisor.wait(timeout=40)


def _children(parent: int) -> dict[int, str]:
    """Number and command line of each process that this one has started."""
    numbers = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    return {int(n): Path(f"/proc/{n}/cmdline").read_text() for n in numbers}


def _free_row(n: int) -> int:
    """The first of so many free ports in a row."""
    while True:
        first = free_port()
        if all(_is_free(first + more) for more in range(1, n)):
            return first


def _is_free(port: int) -> bool:
    try:
        ask(port)
    except ConnectionRefusedError:
        return True
    except OSError:
        return False
    return False
