"""A real nginx with the shipped configuration."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
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
    """The program; who lacks it skips these tests."""
    return shutil.which("nginx", path=PATH) or pytest.skip("nginx is missing")


@pytest.fixture
def proxied(nginx: str) -> Iterator[Callable[[int], tuple[int, list[Replica]]]]:
    """Starts so many replicas behind nginx; gives nginx's port and them."""
    with ExitStack() as ending:

        def begin(n: int) -> tuple[int, list[Replica]]:
            replicas = [ending.enter_context(replica()) for _ in range(n)]
            port = free_port()
            # not in pytest's own folder: of nginx that root starts, the workers may not go there
            folder = ending.enter_context(TemporaryDirectory(prefix="nginx-"))
            own = [f"127.0.0.1:{one.port}" for one in replicas]
            write_nginx_folder(Path(folder), f"127.0.0.1:{port}", own, OWN_NAMES)
            command = [nginx, "-e", "stderr", "-p", "./", "-c", "nginx.conf", "-g", "daemon off;"]
            process = ending.enter_context(subprocess.Popen(command, cwd=folder))
            ending.callback(process.terminate)
            while not _answers(port):
                assert process.poll() is None
            return port, replicas

        yield begin


def _answers(port: int) -> bool:
    try:
        return ask(port, "/_stcore/metrics").status == 403
    except OSError:
        return False
