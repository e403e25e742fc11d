"""The health check of the container: its arguments and its results."""

import os
import sys

import pytest

from deploy import health, serve


@pytest.mark.parametrize("port", ["abc", "", "0", "65536", "8501.0"])
def test_an_invalid_port_is_refused_in_a_sentence(port, monkeypatch):
    monkeypatch.setenv(health.PORT_VARIABLE, port)
    with pytest.raises(SystemExit, match=f"^STREAMLIT_SERVER_PORT is '{port}': give a number"):
        health.main()


@pytest.mark.parametrize(
    ("listens", "asked"), [("0.0.0.0", "127.0.0.1"), ("127.0.0.1", "127.0.0.1"), ("10.0.0.7",) * 2]
)
def test_a_server_that_listens_on_every_address_is_checked_on_this_machine(
    listens, asked, monkeypatch
):
    addresses = []

    def refuse(address: str, *_, **__) -> None:
        addresses.append(address)
        raise ConnectionRefusedError

    monkeypatch.setattr(health.HTTPConnection, "connect", lambda own: refuse(own.host))
    assert not health.is_healthy(listens, 8501)
    assert addresses == [asked]


@pytest.mark.parametrize("replicas", ["0", "65", "two"])
def test_an_impossible_number_of_replicas_is_refused(replicas, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["serve", "--replicas", replicas])
    with pytest.raises(SystemExit):
        serve.main()
    assert "--replicas" in capsys.readouterr().err


def test_replicas_listen_on_the_ports_after_the_port_of_the_site(monkeypatch):
    class StartedError(Exception):
        """Raised in place of writing the settings of nginx."""

    def stop(*_, **__) -> None:
        raise StartedError

    monkeypatch.setattr(os, "environ", dict(os.environ))
    monkeypatch.setattr(sys, "argv", ["serve", "--replicas", "3", "--port", "9000"])
    monkeypatch.setattr(serve, "_check", lambda _: None)
    monkeypatch.setattr(serve, "write_nginx_folder", stop)
    with pytest.raises(StartedError):
        serve.main()
    assert os.environ["ATTENTION_EXPLORER_FIRST_PORT"] == "9001"
    assert os.environ["ATTENTION_EXPLORER_REPLICAS"] == "3"
