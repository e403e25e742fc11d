"""Run a real nginx with the shipped configuration."""

import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from deploy.serve import PATH
from deploy.site import OWN_NAMES, write_nginx_folder
from tests.deploy.asking import ask
from tests.deploy.replicas import Replica, replica
from tests.server import free_port


@pytest.fixture(scope="session")
def nginx() -> str:
    """Return the path of nginx, or skip the tests if it is not installed."""
    return shutil.which("nginx", path=PATH) or pytest.skip("nginx is missing")


@pytest.fixture
def proxied(nginx: str) -> Iterator[tuple[int, list[Replica]]]:
    """Yield the port of nginx, and the two replicas behind it."""
    with replica() as first, replica() as second, proxy(nginx, [first, second]) as port:
        yield port, [first, second]


@contextmanager
def proxy(nginx: str, replicas: Sequence[Replica], *, visitors: int | None = None) -> Iterator[int]:
    """Run nginx until the block ends.

    Args:
        nginx: path of the program.
        replicas: the servers behind nginx. They have received no request when the block begins.
        visitors: see `write_nginx_folder`.

    Yields:
        The port.
    """
    # Not in pytest's own folder: if root starts nginx, its workers may not read that folder.
    with TemporaryDirectory(prefix="nginx-") as folder:
        port = free_port()
        own = [f"127.0.0.1:{server.port}" for server in replicas]
        write_nginx_folder(Path(folder), f"127.0.0.1:{port}", own, OWN_NAMES, visitors=visitors)
        command = [nginx, "-e", "stderr", "-p", "./", "-c", "nginx.conf", "-g", "daemon off;"]
        with subprocess.Popen(command, cwd=folder) as process:
            while not _answers(port):
                assert process.poll() is None
            yield port
            process.terminate()


def _answers(port: int) -> bool:
    with suppress(OSError):
        return ask(port, Host="elsewhere.example").status == 421
    return False
