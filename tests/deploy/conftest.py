"""A real nginx with the shipped configuration."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from deploy.serve import NotServedError, find_nginx, start_nginx
from deploy.site import OWN_NAMES
from tests.deploy.asking import ask
from tests.deploy.replicas import Replica, replica
from tests.server import free_port


@pytest.fixture(scope="session")
def nginx() -> str:
    """The program; who lacks it skips these tests."""
    try:
        return find_nginx()
    except NotServedError as error:
        pytest.skip(str(error))


@pytest.fixture
def proxied(
    nginx: str,
) -> Iterator[Callable[[int], tuple[int, list[Replica]]]]:
    """Starts so many replicas behind nginx; gives nginx's port and them."""
    with ExitStack() as ending:

        def begin(n: int) -> tuple[int, list[Replica]]:
            replicas = [ending.enter_context(replica()) for _ in range(n)]
            port = free_port()
            # not in pytest's own folder: of nginx that root starts, the workers may not go there
            folder = Path(ending.enter_context(TemporaryDirectory(prefix="nginx-")))
            ports = [one.port for one in replicas]
            process = start_nginx(nginx, folder, f"127.0.0.1:{port}", ports, OWN_NAMES)
            ending.callback(process.end)
            while not _answers(port):
                assert not process.has_ended
            return port, replicas

        yield begin


def _answers(port: int) -> bool:
    try:
        return ask(port, "/_stcore/metrics").status == 403
    except OSError:
        return False
