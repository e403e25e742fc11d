"""Run several processes of the app behind nginx on one machine: ``make serve N=2``.

python -m deploy.serve --replicas 4 --host maps.school.example

supervisord (``supervisord.conf``) runs them and restarts each one that ends. Ctrl-C stops all.
"""

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
from collections.abc import Sequence
from pathlib import Path

from deploy.health import BASE_VARIABLE, EVERYWHERE, LOOPBACK, is_healthy
from deploy.site import OWN_NAMES, add_site_options, write_nginx_folder

# Streamlit is installed beside this Python; nginx often is in a folder that is not on the PATH.
_USUAL = os.environ.get("PATH", os.defpath)
PATH = f"{Path(sys.executable).parent}:{_USUAL}:/usr/sbin:/usr/local/sbin"
_PATIENCE = 120.0  # seconds in which all processes must answer; an idle machine needs a few
_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)  # Ctrl-C, kill, a closed terminal


def main() -> None:
    """Serve until Ctrl-C; if that is impossible, SystemExit says why, and what to do."""
    options = _read_options()
    ports = range(options.port + 1, options.port + 1 + options.replicas)
    own = (EVERYWHERE if options.host else LOOPBACK, options.port)
    endpoints = [*((LOOPBACK, port) for port in ports), own]
    names = dict.fromkeys((*OWN_NAMES, *options.host))
    _check(endpoints)
    # One secret for all processes and one core for each, unless the operator has set others.
    os.environ.setdefault("STREAMLIT_SERVER_COOKIE_SECRET", secrets.token_hex())
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ["STREAMLIT_SERVER_ALLOWED_HOSTS"] = " ".join(names)
    os.environ["ATTENTION_EXPLORER_REPLICAS"] = str(options.replicas)
    os.environ["ATTENTION_EXPLORER_FIRST_PORT"] = str(ports[0])
    os.environ["PATH"] = PATH
    with tempfile.TemporaryDirectory(prefix="explorer-") as folder:
        replicas = [f"{LOOPBACK}:{port}" for port in ports]
        write_nginx_folder(
            Path(folder), "{}:{}".format(*own), replicas, list(names), visitors=options.visitors
        )
        address = f"http://{(*options.host, LOOPBACK)[0]}:{options.port}"
        address += "/".join(("", *filter(None, os.environ.get(BASE_VARIABLE, "").split("/"))))
        _supervise(
            folder, endpoints, f"{options.replicas} replicas at {address} (Ctrl-C ends them)"
        )
    print("\nEnded.", flush=True)


def _supervise(folder: str, endpoints: Sequence[tuple[str, int]], message: str) -> None:
    """Run supervisord in this folder until this process is told to stop.

    Args:
        folder: the folder with the configurations.
        endpoints: address and port of each replica, and of nginx.
        message: what to print when all processes answer.
    """
    command = [sys.executable, "-m", "supervisor.supervisord", "--nodaemon", "--configuration"]
    command.append(str(Path(__file__).with_name("supervisord.conf")))
    # New sessions: Ctrl-C in the terminal reaches only this process, which passes it on.
    # supervisord opens its output a second time. This fails for a file or a socket, so its output
    # is a pipe to `cat`. The pipe stays open when the terminal is closed: otherwise supervisord
    # would leave processes behind.
    with (
        subprocess.Popen(
            "cat || exec cat > /dev/null", shell=True, stdin=subprocess.PIPE, start_new_session=True
        ) as screen,
        subprocess.Popen(
            command, cwd=folder, stdout=screen.stdin, stderr=screen.stdin, start_new_session=True
        ) as supervisor,
    ):
        for number in _ENDING:
            signal.signal(number, lambda *_: supervisor.terminate())
        try:
            deadline = time.monotonic() + _PATIENCE
            while supervisor.poll() is None and not all(
                is_healthy(*endpoint) for endpoint in endpoints
            ):
                if time.monotonic() > deadline:
                    sys.exit("Not all processes answer; what they say is above.")
                time.sleep(0.2)
            if supervisor.poll() is None:
                print(message, flush=True)
                supervisor.wait()
        finally:
            supervisor.terminate()
    if supervisor.returncode:
        sys.exit("supervisord has ended; what it says is above.")


def _check(endpoints: Sequence[tuple[str, int]]) -> None:
    """End with a message if nginx is missing, or if one of these ports cannot be used."""
    if not shutil.which("nginx", path=PATH):
        sys.exit("nginx is missing. Run: sudo apt-get install nginx-light")
    for address, port in endpoints:
        try:
            socket.create_server((address, port)).close()
        except OSError as error:
            sys.exit(
                f"Port {port} cannot be used on {address}: {os.strerror(error.errno or 0)}. "
                "End what uses it, or take another: make serve PORT=9000"
            )


def _read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicas", type=int, default=2, choices=range(1, 65), metavar="1…64")
    parser.add_argument("--port", type=int, default=8501)
    add_site_options(parser)
    options = parser.parse_args()
    last = 65535 - options.replicas  # the replicas use the following ports
    if not 1 <= options.port <= last:
        parser.error(f"--port is {options.port}: give one from 1 to {last}; the replicas follow")
    return options


if __name__ == "__main__":
    main()
