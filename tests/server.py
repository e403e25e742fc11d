"""The app as `make app` serves it: a process of its own, on a free port."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from ui.state.models import FOLDER_VARIABLE

ROOT = Path(__file__).parents[1]
_SHIPPED = ("en-fr", "en-fr-bahdanau", "en-fr-seq2seq", "en-fr-small", "en-zh", "comparison.json")
_PATIENCE = 60  # seconds until it answers; two when nothing else runs


def link_shipped(folder: Path) -> Path:
    """Put the shipped models there, and none of those that somebody trained beside them."""
    for name in _SHIPPED:
        (folder / name).symlink_to(ROOT / "checkpoints" / name)
    return folder


@dataclass(frozen=True)
class Server:
    """A running app."""

    address: str  # of its front page
    process: int  # its number in the system
    log: Path  # what it says, on both streams


@contextmanager
def serve(
    log: Path,
    *options: str,
    environment: Mapping[str, str] | None = None,
    script: str | Path = "app.py",
    folder: Path = ROOT,
) -> Iterator[Server]:
    """Serve the app for as long as the block lasts.

    Args:
        log: the file for what it says.
        options: of `streamlit run`, more than those of `make app`.
        environment: variables beside those of this process.
        script: another app than ours.
        folder: where it lies and starts.
    """
    port = free_port()
    command = [sys.executable, "-m", "streamlit", "run", str(script)]
    own = ["--server.port", str(port), "--server.headless", "true", "--logger.enableRich", "false"]
    with log.open("w") as said:
        process = subprocess.Popen(
            [*command, *own, *options],
            cwd=folder,
            env=os.environ | dict(environment or {}),
            stdout=said,
            stderr=subprocess.STDOUT,
        )
    try:
        address = f"http://127.0.0.1:{port}"
        _wait_until_healthy(address, process)
        yield Server(address, process.pid, log)
    finally:
        process.terminate()
        process.wait(timeout=20)


@contextmanager
def serve_checkpoints(folder: Path) -> Iterator[str]:
    """Serve the app with the checkpoints of this folder; its address."""
    log = folder.with_suffix(".log")
    with serve(log, environment={FOLDER_VARIABLE: str(folder)}) as server:
        yield server.address


def _wait_until_healthy(address: str, process: subprocess.Popen) -> None:
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline:
        with (
            suppress(OSError),
            urllib.request.urlopen(f"{address}/_stcore/health", timeout=2) as it,
        ):
            if it.status == 200:
                return
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=0.2)
            raise AssertionError("the server ended before it answered")
    raise TimeoutError(f"the server did not answer within {_PATIENCE} seconds")


def free_port() -> int:
    """A port that nothing uses."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
