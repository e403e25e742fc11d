"""A real server and a real browser."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.chromium import MISSING, SKIP_VARIABLE, launch
from ui.models import FOLDER_VARIABLE

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if os.environ.get(SKIP_VARIABLE):
        pytest.skip(f"{SKIP_VARIABLE} is set")
    with sync_playwright() as playwright:
        chromium = launch(playwright.chromium)
        if chromium is None:
            pytest.fail(MISSING)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def address(tiny_checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the app is served, with the shipped models and with ``tiny``, a quick one."""
    checkpoints = tmp_path_factory.mktemp("checkpoints")
    for shipped in (ROOT / "checkpoints").iterdir():
        (checkpoints / shipped.name).symlink_to(shipped)
    shutil.copytree(tiny_checkpoint, checkpoints / "tiny")
    with _server(checkpoints) as address:
        yield address


class Visit:
    """One visitor's page, and what went wrong or went out while it was open."""

    def __init__(self, page: Page, address: str) -> None:
        self.page, self.address = page, address
        self.errors: list[str] = []
        self.hosts: set[str] = set()
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", self._console)
        page.on("request", lambda request: self._request(request.url))
        page.on("websocket", lambda socket: self._request(socket.url))

    def open(self, path: str = "") -> Page:
        """Go to a page and wait until its first map stands."""
        self.page.goto(f"{self.address}/{path}")
        # a huge map is a canvas
        self.page.locator(".vega-embed svg, .vega-embed canvas").first.wait_for()
        return self.page

    def _console(self, message) -> None:
        # Streamlit looks for its server below the address of a deep link first.
        looking = "/_stcore/" in message.location.get("url", "")
        if message.type == "error" and not looking:
            self.errors.append(message.text)

    def _request(self, url: str) -> None:
        if not url.startswith(("data:", "blob:")):
            self.hosts.add(url.split("/")[2].split(":")[0])


@pytest.fixture
def visit(browser: Browser, address: str, request: pytest.FixtureRequest) -> Iterator[Visit]:
    """A fresh visitor; a test may give ``browser.new_context`` options as its parameter."""
    context = browser.new_context(**getattr(request, "param", {}))
    context.set_default_timeout(20_000)
    visitor = Visit(context.new_page(), address)
    yield visitor
    context.close()
    assert visitor.errors == []
    assert visitor.hosts <= {"127.0.0.1"}


@contextmanager
def _server(checkpoints: Path) -> Iterator[str]:
    port = _free_port()
    command = [sys.executable, "-m", "streamlit", "run", "app.py"]
    options = ["--server.port", str(port), "--server.headless", "true"]
    options += ["--server.address", "127.0.0.1"]
    process = subprocess.Popen(
        command + options,
        cwd=ROOT,
        env=os.environ | {FOLDER_VARIABLE: str(checkpoints)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait_until_healthy(f"http://127.0.0.1:{port}", process)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(timeout=20)


def _wait_until_healthy(address: str, process: subprocess.Popen) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        assert process.poll() is None, "the server ended before it answered"
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=2) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.2)
    pytest.fail("the server did not answer within a minute")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
