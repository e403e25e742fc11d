"""Several processes of the app behind a real nginx on this machine: ``make serve N=2``.

python -m deploy.serve --replicas 4 --address 0.0.0.0 --host maps.school.example

A process that ends is started again. Ctrl-C ends all of them.
"""

from __future__ import annotations

import argparse
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from types import FrameType

from deploy.health import LOOPBACK, is_healthy
from deploy.site import OWN_NAMES, site_conf

HERE = Path(__file__).parent
REPLICAS_VARIABLE = "ATTENTION_EXPLORER_REPLICAS"
SECRET_VARIABLE = "STREAMLIT_SERVER_COOKIE_SECRET"
_LOOK = 0.2  # seconds between two looks at the processes
_PATIENCE = 120.0  # seconds until all answer; a few where nothing else runs
_BREATH = 2.0  # seconds of life; who ends sooner than that waits as long for the next start
_LAST_WORDS = 15.0  # seconds to end in when asked to
_LAST_PORT = 65535
_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)  # asked by key, by order, by hanging up


class NotServedError(RuntimeError):
    """A sentence that says why nothing is served, and what to do."""


class Process:
    """A program that shall run.

    Args:
        name: for what is said of it.
        command: what to start.
        folder: where it starts.
        environment: its variables.
    """

    def __init__(
        self, name: str, command: Sequence[str], folder: Path, environment: Mapping[str, str]
    ) -> None:
        self.name, self._command = name, list(command)
        self._folder, self._environment = folder, environment
        self.start()

    def start(self) -> None:
        """Start it, the first time or again."""
        self._begun = time.monotonic()
        self._process = subprocess.Popen(
            self._command,
            cwd=self._folder,
            env=dict(self._environment),
            start_new_session=True,  # Ctrl-C in the terminal reaches this one alone, which ends it
        )

    @property
    def number(self) -> int:
        """In the system."""
        return self._process.pid

    @property
    def has_ended(self) -> bool:
        """Whether it does not run."""
        return self._process.poll() is not None

    @property
    def may_start(self) -> bool:
        """Whether it is time: one that cannot run shall not be started without pause."""
        return time.monotonic() - self._begun > _BREATH

    def ask_to_end(self) -> None:
        """Ask, and do not wait."""
        if not self.has_ended:
            self._process.terminate()

    def end(self) -> None:
        """Wait until it has ended; who does not is made to."""
        self.ask_to_end()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=_LAST_WORDS)
        with suppress(ProcessLookupError):
            os.killpg(self.number, signal.SIGKILL)  # what it has started, too
        self._process.wait()


def main() -> str | None:
    """Serve until Ctrl-C.

    Returns:
        None, or why nothing is served.
    """
    options = _read_options()
    for number in _ENDING:
        signal.signal(number, _interrupt)
    try:
        serve(options.replicas, options.address, options.port, options.host)
    except NotServedError as error:
        return str(error)
    except KeyboardInterrupt:
        print("\nEnded.", flush=True)
    return None


def serve(n_replicas: int, address: str, port: int, hosts: Sequence[str]) -> None:
    """Start all processes, and each that ends again, until this one is interrupted.

    Args:
        n_replicas: processes of the app. They listen on the ports after nginx's.
        address: on which nginx listens.
        port: likewise.
        hosts: names of the site beside those of this machine.

    Raises:
        NotServedError: nginx is missing, a port is taken, or a process does not start.
    """
    nginx = find_nginx()
    ports = [port + n for n in range(1, n_replicas + 1)]
    _check_free([(address, port), *((LOOPBACK, one) for one in ports)])
    names = list(dict.fromkeys((*OWN_NAMES, *hosts)))
    environment = _environment(n_replicas)
    running: list[Process] = []
    with tempfile.TemporaryDirectory(prefix="explorer-") as folder, ExitStack() as ending:
        ending.callback(_end_all, running)
        for one in ports:  # each is known at once: an error at the third ends the first two
            running.append(_start_app(one, names, environment))
        for one in ports:
            _wait_for(running, LOOPBACK, one)
        running.append(start_nginx(nginx, Path(folder), f"{address}:{port}", ports, names))
        _wait_for(running, address, port)
        shown = hosts[0] if hosts else LOOPBACK
        print(f"{n_replicas} replicas at http://{shown}:{port} (Ctrl-C ends them)", flush=True)
        while True:
            time.sleep(_LOOK)
            _look_after(running[:-1])
            if running[-1].has_ended:
                raise NotServedError("nginx has ended; what it says is above.")


def _look_after(apps: Sequence[Process]) -> None:
    for process in apps:
        if process.has_ended and process.may_start:
            process.start()
            print(f"{process.name} had ended and was started again", flush=True)


def _end_all(running: Sequence[Process]) -> None:
    for number in _ENDING:
        signal.signal(number, signal.SIG_IGN)  # nobody is left behind
    for process in running:
        process.ask_to_end()  # all at once: each takes its time
    for process in running:
        process.end()


def _environment(n_replicas: int) -> dict[str, str]:
    """One secret for all, and a core for each; what the operator has set comes first."""
    defaults = {"OMP_NUM_THREADS": "1", SECRET_VARIABLE: secrets.token_hex()}
    return defaults | os.environ | {REPLICAS_VARIABLE: str(n_replicas)}


def _start_app(port: int, names: Sequence[str], environment: Mapping[str, str]) -> Process:
    options = {"address": LOOPBACK, "port": str(port), "headless": "true"}
    command = [sys.executable, "-m", "streamlit", "run", "app.py"]
    command += [part for name, value in options.items() for part in (f"--server.{name}", value)]
    command += [part for name in names for part in ("--server.allowedHosts", name)]
    return Process(f"The replica on port {port}", command, HERE.parent, environment)


def start_nginx(
    nginx: str, folder: Path, listen: str, ports: Sequence[int], names: Sequence[str]
) -> Process:
    """The shipped configuration, beside the two files that say what is different here.

    Args:
        nginx: the program.
        folder: an empty one, for these files and for what nginx writes.
        listen: address and port.
        ports: of the replicas, on this machine.
        names: of the site.
    """
    folder.chmod(0o755)  # of nginx that root starts, the workers are somebody else
    (folder / "nginx.conf").symlink_to(HERE / "nginx.conf")
    (folder / "listen.conf").write_text(f"listen {listen};\n", encoding="utf-8")
    replicas = [f"{LOOPBACK}:{port}" for port in ports]
    (folder / "site.conf").write_text(site_conf(replicas, names), encoding="utf-8")
    command = [nginx, "-e", "stderr", "-p", f"{folder}/", "-c", f"{folder}/nginx.conf"]
    return Process("nginx", [*command, "-g", "daemon off;"], folder, os.environ)


def find_nginx() -> str:
    """Where the program is.

    Raises:
        NotServedError: it is not here.
    """
    path = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"))
    found = shutil.which("nginx", path=path)
    if not found:
        raise NotServedError("nginx is missing. Run: sudo apt-get install nginx-light")
    return found


def _check_free(places: Sequence[tuple[str, int]]) -> None:
    for place in places:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(place)
            except OSError as error:
                raise NotServedError(
                    f"Port {place[1]} cannot be used on {place[0]}: {error.strerror}. "
                    "End what uses it, or take another: make serve PORT=9000"
                ) from error


def _wait_for(running: Sequence[Process], address: str, port: int) -> None:
    """Until this port answers; a process that ends before does not start at all."""
    deadline = time.monotonic() + _PATIENCE
    while not is_healthy(address, port):
        for process in running:
            if process.has_ended:
                raise NotServedError(f"{process.name} did not start; what it says is above.")
        if time.monotonic() > deadline:
            raise NotServedError(f"Nothing answers on port {port} after {_PATIENCE:.0f} s.")
        time.sleep(_LOOK)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--replicas", type=int, default=2, choices=range(1, 65), metavar="1…64")
    parser.add_argument("--address", default=LOOPBACK, help="0.0.0.0 opens it to others")
    parser.add_argument("--port", type=int, default=8501)
    parser.add_argument(
        "--host", action="append", default=[], help="name by which others call it; may be repeated"
    )
    options = parser.parse_args()
    last = _LAST_PORT - options.replicas  # theirs come after it
    if not 1 <= options.port <= last:
        parser.error(
            f"--port is {options.port}: give one from 1 to {last}, "
            "the replicas take the ports after it."
        )
    return options


if __name__ == "__main__":
    sys.exit(main())
