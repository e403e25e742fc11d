"""No log shows a visitor's texts or address, even when something fails."""

import socket
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from urllib.parse import quote

import pytest

from deploy.health import LOOPBACK, is_healthy
from tests.deploy.school import School, kill, school
from tests.visitor import Visitor
from tests.waiting import until

MARK = "quokka"  # a word in everything that the visitor types and requests
VISITOR = "127.0.0.77"  # all of 127.0.0.0/8 is this machine, and no other test uses this address
FORWARDED = "203.0.113.77"
LINK = f"/explorer?sentence=A+{MARK}+sleeps."


@pytest.fixture(scope="module")
def asked(nginx, tmp_path_factory) -> Iterator[School]:
    """Serve the app, and send every kind of request that makes nginx or the app write to a log."""
    assert nginx
    with school(tmp_path_factory.mktemp("school") / "log", 2) as running_school:
        request(running_school, "GET", LINK)
        cookie = running_school.newcomer()
        take_home(running_school, cookie)
        # Requests that are refused: too large, malformed, for a foreign host, or too many.
        upload = f"/_stcore/upload_file/{MARK}/{MARK}"
        assert request(running_school, "PUT", upload, body=bytes(3_000_000)) == 413
        assert request(running_school, "PUT", upload, body=bytes(1_500_000)) in (400, 403)
        assert request(running_school, "GET", LINK, Host=f"{MARK}.example") == 421
        assert request(running_school, "GET", LINK, Host=f"{MARK} {MARK}") == 400
        assert request(running_school, "GET", LINK + 70_000 * "x") == 414
        for path in ("/_stcore/metrics", f"/media/{MARK}", f"/static/{MARK}", f"/{MARK}%00"):
            request(running_school, "GET", path)
        # One process ends, then the other process.
        visitor = Visitor(running_school.address, cookie=cookie)
        visitor.open("explorer", LINK.partition("?")[2])
        for replica in list(running_school.replicas.values()):
            kill(replica)
            for _ in range(5):
                request(running_school, "GET", LINK, Cookie=cookie)
        visitor.close()
        until(
            lambda: (
                [is_healthy(LOOPBACK, int(port)) for port in running_school.replicas]
                == [True, True]
            )
        )
        yield running_school


def request(
    running_school: School, method: str, path: str, *, body: bytes = b"", **headers: str
) -> int:
    """Send a request to nginx and return the status, or 0 without an answer."""
    headers.setdefault("Host", f"{LOOPBACK}:{running_school.port}")
    headers["Referer"] = f"http://{LOOPBACK}{LINK}"
    headers["User-Agent"] = MARK
    headers["X-Forwarded-For"] = FORWARDED
    connection = HTTPConnection(
        LOOPBACK, running_school.port, timeout=20, source_address=(VISITOR, 0)
    )
    with closing(connection):
        try:
            connection.request(method, path, body, headers)
            return connection.getresponse().status
        except (OSError, HTTPException):
            return 0


def take_home(running_school: School, cookie: str) -> None:
    """Download the file of 13 MB so slowly that nginx stores a part of it in a file of its own."""
    with Visitor(running_school.address, cookie=cookie) as visitor:
        visitor.open("", f"sentence=A+{MARK}+sleeps.")
        path = visitor.download("take_home") + f"?{MARK}"
        lines = (
            f"GET {path} HTTP/1.1",
            f"Host: {LOOPBACK}:{running_school.port}",
            f"Referer: http://{LOOPBACK}{LINK}",
            f"Cookie: {cookie}",
        )
        asked = "".join(f"{line}\r\n" for line in lines) + "\r\n"
        with socket.create_connection(
            (LOOPBACK, running_school.port), timeout=20, source_address=(VISITOR, 0)
        ) as connection:
            connection.sendall(asked.encode())
            assert connection.recv(100).startswith(b"HTTP/1.1 200 ")
            until(lambda: _is_put_aside(running_school))


def _is_put_aside(running_school: School) -> bool:
    """Return whether a worker of nginx has a temporary file open."""
    return any(
        "/proxy/" in str(file.readlink())
        for process in running_school.proxy
        for file in Path(f"/proc/{process}/fd").iterdir()
        if file.is_symlink()
    )


@pytest.mark.slow
def test_no_log_has_a_text_or_the_address_of_a_visitor(asked):
    log = asked.log.read_text(encoding="utf-8")
    # the log still tells the operator what went wrong
    assert log.count("terminated by SIGKILL") == 2
    for private in (MARK, quote(MARK), VISITOR, FORWARDED):
        assert private not in log


@pytest.mark.slow
def test_nginx_leaves_no_file_with_a_visitors_address_or_text(asked):
    folder = Path(f"/proc/{asked.proxy[0]}/cwd")
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert files
    for path in files:
        content = path.read_bytes()
        for private in (MARK, VISITOR, FORWARDED):
            assert private.encode() not in content, path
