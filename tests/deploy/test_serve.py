"""`make serve` says what is missing, in a sentence."""

from __future__ import annotations

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
