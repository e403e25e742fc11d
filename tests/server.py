"""Serve the app in a separate process on a free port, as `make app` does."""

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
_START_TIMEOUT = 60  # seconds until the server answers; on an idle machine it needs two


def link_shipped(folder: Path) -> Path:
    """Link the shipped models into a folder, without models that somebody trained locally."""
    for name in _SHIPPED:
        (folder / name).symlink_to(ROOT / "checkpoints" / name)
    return folder


@dataclass(frozen=True)
class Server:
    """A running app."""

    address: str  # address of the front page
    process: int  # process id
    log: Path  # file with its output and errors


@contextmanager
def serve(
    log: Path,
    *options: str,
    environment: Mapping[str, str] | None = None,
    script: str | Path = "app.py",
    folder: Path = ROOT,
) -> Iterator[Server]:
    """Serve the app until the block ends.

    Args:
        log: file for the output of the server.
        options: options of `streamlit run`, in addition to those of `make app`.
        environment: variables in addition to those of this process.
        script: the app to serve.
        folder: the folder of the script, in which the server starts.
    """
    port = free_port()
    command = [sys.executable, "-m", "streamlit", "run", str(script)]
    command += ["--server.port", str(port), "--server.headless", "true"]
    command += ["--logger.enableRich", "false", *options]
    with log.open("w") as output:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=os.environ | dict(environment or {}),
            stdout=output,
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
    """Serve the app with the checkpoints of this folder, and yield its address."""
    log = folder.with_suffix(".log")
    with serve(log, environment={FOLDER_VARIABLE: str(folder)}) as server:
        yield server.address


def _wait_until_healthy(address: str, process: subprocess.Popen) -> None:
    deadline = time.monotonic() + _START_TIMEOUT
    while time.monotonic() < deadline:
        with (
            suppress(OSError),
            urllib.request.urlopen(f"{address}/_stcore/health", timeout=2) as response,
        ):
            if response.status == 200:
                return
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=0.2)
            raise AssertionError("the server ended before it answered")
    raise TimeoutError(f"the server did not answer within {_START_TIMEOUT} seconds")


def free_port() -> int:
    """Return a port that nothing uses."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
