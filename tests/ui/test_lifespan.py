"""The server accepts visitors once its first model is loaded or has failed to load."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest
import streamlit as st
from streamlit import config

import app
from ui.server import lifespan
from ui.server.security_headers import FRAME_ANCESTORS_VARIABLE
from ui.state.limits import MEMORY_VARIABLE, REPLICAS_VARIABLE, TOKENS_VARIABLE
from ui.state.memory import memory


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record the addresses that a browser is opened with; nothing waits."""
    connections: list[str] = []
    monkeypatch.setattr(lifespan.cli_util, "open_browser", connections.append)
    monkeypatch.setattr(lifespan, "_SECONDS_UNTIL_OPEN", 0)
    return connections


def _set(monkeypatch: pytest.MonkeyPatch, **settings: object) -> None:
    """Set options of Streamlit for a test."""
    others = config.get_option
    for module in (st, config):
        monkeypatch.setattr(
            module, "get_option", lambda o: settings[o] if o in settings else others(o)
        )


def _start(monkeypatch: pytest.MonkeyPatch, **options: object) -> set[str]:
    """Start and stop the server; return the names of the results in memory when it was ready."""
    _set(monkeypatch, **({"server.headless": True} | options))

    async def start() -> set[str]:
        async with lifespan.ready(app.app):
            names = {usage.name for usage in memory().usage()}
            for _ in range(3):  # lets callbacks of the event loop run
                await asyncio.sleep(0)
            return names

    # In its own thread: the event loop of Playwright may be running in this one.
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, start()).result()


def test_streamlit_finds_the_server_in_app_py():
    assert isinstance(app.app, st.App)
    assert app.app._user_lifespan is lifespan.ready


@pytest.mark.parametrize(
    ("options", "url"),
    [
        ({"server.address": "127.0.0.1"}, "http://127.0.0.1:8765"),
        ({"server.address": "0.0.0.0"}, "http://localhost:8765"),
        ({"server.address": None}, "http://localhost:8765"),
        ({"server.address": "maps", "server.baseUrlPath": "/class/"}, "http://maps:8765/class"),
        ({"server.address": "maps", "server.sslCertFile": "own.pem"}, "https://maps:8765"),
    ],
)
def test_the_browser_opens_the_address_of_the_server(monkeypatch, opened, options, url):
    _start(monkeypatch, **{"server.headless": False, "browser.serverPort": 8765}, **options)
    assert opened == [url]


def test_the_first_sentence_is_translated_before_the_first_visit(monkeypatch, opened, checkpoints):
    assert _start(monkeypatch) == {"models", "traces"}
    (checkpoints / "en-fr" / "config.json").write_text("{", encoding="utf-8")
    memory.cache_clear()
    assert _start(monkeypatch) == set()  # a damaged model does not prevent the start
    assert opened == []


def test_the_files_of_components_can_be_asked_for_before_the_first_visit(monkeypatch):
    """A page of another process may ask this one for them."""
    declared = []
    monkeypatch.setattr(lifespan, "declare", lambda: declared.append("components"))
    monkeypatch.setattr(lifespan, "translate_first", lambda: None)
    _start(monkeypatch)
    assert declared == ["components"]


def test_an_invalid_environment_variable_stops_the_start_with_a_sentence(monkeypatch):
    lifespan.check_settings()
    for variable in (TOKENS_VARIABLE, MEMORY_VARIABLE, REPLICAS_VARIABLE):
        for value in ("lots", "9" * 16):
            monkeypatch.setenv(variable, value)
            with pytest.raises(SystemExit, match=f"^{variable} is "):
                lifespan.check_settings()
        monkeypatch.delenv(variable)


@pytest.mark.parametrize(
    ("host", "remedy"),
    [
        ("maps.school.example:8080", "leave the port out"),
        ("http://maps.school.example", "leave scheme and path out"),
        ("a.example,b.example", "separate names by spaces"),
        ("[::1]:8501", "leave brackets and port out, as in ::1"),
        ("[::1]", "leave brackets and port out, as in ::1"),
        (".school.example", "write *.school.example for all names that end in it"),
        ("straße.example", "write it as browsers send it, xn--..."),
        ("maps school", "give a name like maps.school.example"),
        ("maps.*", "give a name like maps.school.example"),
        ("fe80::1%eth0", "give a name like maps.school.example"),
        ("", "give a name like maps.school.example"),
    ],
)
def test_an_impossible_allowed_host_stops_the_start(monkeypatch, host, remedy):
    _set(monkeypatch, **{"server.allowedHosts": ["localhost", host]})
    with pytest.raises(SystemExit) as caught:
        lifespan.check_settings()
    sentence = f"server.allowedHosts has {host}, which is not a host name: {remedy}."
    assert str(caught.value) == sentence


def test_all_other_kinds_of_hosts_are_allowed(monkeypatch):
    hosts = ["Maps.School.example.", "*.school.example", "*", "192.168.1.20", "::1", "app_1"]
    _set(monkeypatch, **{"server.allowedHosts": hosts})
    lifespan.check_settings()


@pytest.mark.parametrize("option", ["maxMessageSize", "maxUploadSize", "maxWidgetStateSize"])
@pytest.mark.parametrize("size", [0, -5, 1001, 10**20])
def test_an_impossible_size_stops_the_start(monkeypatch, option, size):
    _set(monkeypatch, **{f"server.{option}": size})
    with pytest.raises(SystemExit) as caught:
        lifespan.check_settings()
    sentence = f"server.{option} is {size}: give a whole number of megabytes from 1 to 1000, for"
    more = " Uploads cannot be switched off." if (option, size) == ("maxUploadSize", 0) else ""
    assert str(caught.value) == f"{sentence} instance 10.{more}"


def test_the_largest_size_is_allowed(monkeypatch):
    _set(monkeypatch, **{"server.maxMessageSize": 1000})
    lifespan.check_settings()


@pytest.mark.parametrize("sites", ["https://a.example; script-src *", "a, b", "https://a/b\r\nX"])
def test_invalid_sites_for_frames_stop_the_start(monkeypatch, sites):
    monkeypatch.setenv(FRAME_ANCESTORS_VARIABLE, sites)
    with pytest.raises(SystemExit, match=f"^{FRAME_ANCESTORS_VARIABLE} has "):
        lifespan.check_settings()
