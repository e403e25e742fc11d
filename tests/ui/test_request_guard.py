"""The guard refuses requests for other host names if only the site's own name is allowed."""

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest.mock import Mock

import pytest
import streamlit as st

from ui.server import request_guard
from ui.server.request_guard import RequestGuard
from ui.server.security_headers import FRAME_ANCESTORS_VARIABLE, security_headers

SITE = "maps.school.example"


@pytest.fixture(params=["", "class", "/class/"])
def base(request, monkeypatch) -> str:
    """Return the path below which the app is served, with a leading slash."""
    monkeypatch.setattr(st, "get_option", {"server.baseUrlPath": request.param}.get)
    monkeypatch.setattr(request_guard, "is_host_allowed", SITE.__eq__)
    return "/class" if request.param else ""


def status_of(path: str, host: str) -> int:
    """Return the status of the answer; the app behind the guard answers 200 to everything."""
    sent = []

    async def app(_scope, _receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": path, "headers": [(b"host", host.encode())]}
    # the event loop of a browser test may be running in the main thread
    with ThreadPoolExecutor() as thread:
        thread.submit(lambda: asyncio.run(RequestGuard(app)(scope, None, send))).result()
    return sent[0]["status"]


@pytest.mark.parametrize(
    ("headers", "is_open"),
    [
        ({"host": SITE}, True),  # a program sends no origin
        ({"host": SITE, "origin": f"https://{SITE}"}, True),
        ({"host": SITE, "origin": "https://elsewhere.example"}, False),
        ({"host": "elsewhere.example"}, False),
    ],
)
def test_only_a_page_of_this_site_can_open_a_websocket(monkeypatch, headers, is_open):
    monkeypatch.setattr(request_guard, "is_host_allowed", SITE.__eq__)
    sent = []

    async def app(_scope, _receive, send):
        await send({"type": "websocket.accept"})

    async def send(message):
        sent.append(message["type"])

    pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "websocket", "path": "/_stcore/stream", "headers": pairs}
    with ThreadPoolExecutor() as thread:
        thread.submit(lambda: asyncio.run(RequestGuard(app)(scope, None, send))).result()
    assert sent == ["websocket.accept" if is_open else "websocket.close"]


def test_with_the_name_of_the_machine_only_the_health_check_is_answered(base):
    assert status_of(f"{base}/_stcore/health", "localhost") == 200
    assert status_of(f"{base}/_stcore/health", "localhost:8501") == 200
    for path in (f"{base}/", f"{base}/_stcore/host-config", f"{base}/x/_stcore/health"):
        assert status_of(path, "localhost") == 421
    for host in ("elsewhere.example", "localhost.elsewhere.example", ""):
        assert status_of(f"{base}/_stcore/health", host) == 421
    assert status_of(f"{base}/", SITE) == 200


def test_the_log_names_the_option_once_and_does_not_contain_the_host(base, monkeypatch):
    log = Mock()
    monkeypatch.setattr(request_guard, "_log", log)
    monkeypatch.setattr(request_guard, "_logged", set())
    for _ in range(3):
        assert status_of(f"{base}/", "abc-12.tunnel.example") == 421
    [call] = log.warning.call_args_list
    assert "--server.allowedHosts NAME" in call.args[0]
    assert "tunnel.example" not in str(call)


def test_the_metrics_are_closed_below_every_path(base):
    for form in ("metrics", "metrics/", "metrics//", "/metrics"):
        assert status_of(f"{base}/_stcore/{form}", SITE) == 403
    for form in ("health", "metricsx", "metrics/x"):
        assert status_of(f"{base}/_stcore/{form}", SITE) == 200


def test_the_operator_can_name_the_sites_that_may_show_a_page_in_a_frame(monkeypatch):
    monkeypatch.setenv(FRAME_ANCESTORS_VARIABLE, " 'self'  https://*.school.example:8443 ")
    policy = security_headers(SITE)["Content-Security-Policy"]
    assert policy.endswith("; frame-ancestors 'self' https://*.school.example:8443")


def test_the_policy_allows_the_scripts_in_streamlits_own_page():
    policy = security_headers(SITE)["Content-Security-Policy"]
    page = (Path(st.__file__).parent / "static" / "index.html").read_text(encoding="utf-8")
    n_scripts = page.count("<script>")
    assert n_scripts > 0
    digests = rf"( 'sha256-[A-Za-z0-9+/]{{43}}='){{{n_scripts}}}"
    assert re.search(rf"; script-src 'self' blob:{digests};", policy)


def test_a_host_cannot_add_rules_to_the_policy():
    policy = security_headers("a.example; script-src *")["Content-Security-Policy"]
    assert "a.example" not in policy
    assert "connect-src 'self';" in policy
