"""`make serve` says what is missing, in a sentence."""

import signal
import socket
import subprocess
import sys

import pytest

from deploy import serve
from tests.server import ROOT


def test_without_nginx_it_says_what_to_run(monkeypatch):
    monkeypatch.setattr(serve.shutil, "which", lambda *_, **__: None)
    with pytest.raises(serve.NotServedError, match="Run: sudo apt-get install nginx-light"):
        serve.find_nginx()


@pytest.mark.usefixtures("nginx")
def test_a_port_in_use_is_named():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        told = subprocess.run(
            [sys.executable, "-m", "deploy.serve", "--port", str(port)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert told.returncode == 1
    assert f"Port {port} cannot be used on 127.0.0.1: Address already in use." in told.stderr
    assert "make serve PORT=9000" in told.stderr


@pytest.mark.parametrize("port", [0, 65534, -1, 65533])
def test_a_port_that_leaves_none_for_the_replicas_is_refused(monkeypatch, capsys, port):
    monkeypatch.setattr(sys, "argv", ["serve", "--replicas", "2", f"--port={port}"])
    if port == 65533:
        assert serve._read_options().port == port
        return
    with pytest.raises(SystemExit):
        serve._read_options()
    assert f"--port is {port}: give one from 1 to 65533," in capsys.readouterr().err


class Replica:
    """One that runs nowhere, and is stubborn: while it ends, every signal comes once more."""

    ended = False

    def ask_to_end(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.raise_signal(number)

    def end(self) -> None:
        self.ask_to_end()
        self.ended = True


@pytest.fixture
def signals():
    """Ours to set; afterwards as they were."""
    before = {number: signal.getsignal(number) for number in serve._ENDING}
    for number in before:
        signal.signal(number, serve._interrupt)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("signals")
def test_who_is_asked_twice_still_ends_every_replica():
    replicas = [Replica(), Replica()]
    try:
        serve._end_all(replicas)
    except KeyboardInterrupt:
        pytest.fail("a second signal left replicas running")
    assert [one.ended for one in replicas] == [True, True]


@pytest.mark.usefixtures("signals")
def test_those_that_were_started_end_when_the_next_one_cannot_be(monkeypatch):
    first = Replica()
    starts = iter([first])

    def start(*_):
        try:
            return next(starts)
        except StopIteration:
            raise OSError("no more processes") from None

    monkeypatch.setattr(serve, "find_nginx", lambda: "nginx")
    monkeypatch.setattr(serve, "_check_free", lambda _: None)
    monkeypatch.setattr(serve, "_start_app", start)
    with pytest.raises(OSError, match="no more"):
        serve.serve(2, "127.0.0.1", 8501, [])
    assert first.ended
