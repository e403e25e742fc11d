"""What the server does with the network, seen by an audit hook inside its process."""

from __future__ import annotations

import http.client

import pytest

from tests.server import serve
from tests.visitor import Visitor

WATCH = """
import os, sys

def note(event, args):
    if event in ("socket.bind", "socket.connect", "socket.getaddrinfo"):
        host = args[0] if event == "socket.getaddrinfo" else args[1][0]
        with open(os.environ["NETWORK_LOG"], "a") as log:
            print(event, host, file=log)

sys.addaudithook(note)
"""
KNOCK = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
}


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory):
    """A server and the file that names every address it binds, looks up or calls."""
    folder = tmp_path_factory.mktemp("watched")
    (folder / "sitecustomize.py").write_text(WATCH, encoding="utf-8")
    calls = folder / "calls"
    environment = {"PYTHONPATH": str(folder), "NETWORK_LOG": str(calls)}
    with serve(folder / "log", environment=environment) as server:
        yield server, calls


def knock(address: str, **headers: str) -> int:
    """Ask for the websocket; the status of the answer."""
    connection = http.client.HTTPConnection(address.removeprefix("http://"), timeout=20)
    connection.request("GET", "/_stcore/stream", headers=KNOCK | headers)
    status = connection.getresponse().status
    connection.close()
    return status


def test_the_app_listens_on_this_machine_only_and_calls_nobody(watched):
    _server, calls = watched
    assert calls.read_text() == "socket.bind 127.0.0.1\n"


def test_who_knocks_from_elsewhere_is_refused_and_nobody_is_asked(watched):
    server, calls = watched
    with Visitor(server.address) as visitor:
        visitor.open()
    assert knock(server.address, Origin="http://elsewhere.example") == 403
    assert knock(server.address, Host="elsewhere.example") == 403
    assert knock(server.address, Origin=server.address) == 101
    assert "getaddrinfo" not in calls.read_text()
