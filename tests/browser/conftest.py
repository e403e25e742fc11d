"""A real server and a real browser."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from model.checkpoint.snapshots import save_snapshot
from model.data.tokenizer import Tokenizer
from tests.browser.chromium import MISSING, SKIP_VARIABLE, launch
from tests.conftest import save_recurrent, tiny_model
from tests.server import ROOT, serve_checkpoints

SNAPSHOTS = range(12)  # steps
# ms to wait for what comes: a busy machine without a graphics card draws a scene in space for a
# quarter of a minute. How long a visitor waits is asked in benchmarks/, not here.
PATIENCE = 60_000


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if os.environ.get(SKIP_VARIABLE):
        pytest.skip(f"{SKIP_VARIABLE} is set")
    with sync_playwright() as playwright:
        chromium = launch(playwright.chromium)
        if chromium is None:
            pytest.fail(MISSING)
        expect.set_options(timeout=PATIENCE)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def address(tiny_checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the app is served, with the shipped models and with ``tiny``, a quick one."""
    checkpoints = tmp_path_factory.mktemp("checkpoints")
    for shipped in (ROOT / "checkpoints").iterdir():
        (checkpoints / shipped.name).symlink_to(shipped)
    tiny = Path(shutil.copytree(tiny_checkpoint, checkpoints / "tiny"))
    config = json.loads((tiny / "config.json").read_text(encoding="utf-8"))
    config["training"]["languages"] = ["en", "fr"]
    (tiny / "config.json").write_text(json.dumps(config), encoding="utf-8")
    with serve_checkpoints(checkpoints) as address:
        yield address


@pytest.fixture(scope="session")
def family(
    tiny_checkpoint: Path, tokenizer: Tokenizer, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A folder with one untrained model of each kind, and twelve snapshots of the Transformer."""
    checkpoints = tmp_path_factory.mktemp("checkpoints")
    folder = Path(shutil.copytree(tiny_checkpoint, checkpoints / "en-fr"))
    for step in SNAPSHOTS:
        save_snapshot(folder, step, tiny_model(tokenizer, seed=SNAPSHOTS[-1] - step))
    save_recurrent(checkpoints, tokenizer)
    return checkpoints


@pytest.fixture(scope="session")
def family_address(family: Path) -> Iterator[str]:
    """Where they are served."""
    with serve_checkpoints(family) as address:
        yield address


def settle(page: Page) -> None:
    """Wait until the page has followed what was done last; it shows no exception."""
    page.wait_for_timeout(300)  # until the server has begun
    page.wait_for_function(
        "() => document.querySelector('[data-testid=stApp]').dataset.testScriptState"
        " === 'notRunning'"
    )
    expect(page.get_by_test_id("stException")).to_have_count(0)


def new_profile(browser: Browser, **options) -> BrowserContext:
    """A browser that has met nothing yet, and is patient."""
    context = browser.new_context(**options)
    context.set_default_timeout(PATIENCE)
    return context


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
        """Go to a page and wait until its first picture stands."""
        self.page.goto(f"{self.address}/{path}")
        # a huge map is a canvas; on the start page words are the picture
        pictures = ".vega-embed svg, .vega-embed canvas, .targets li:not(.unwritten)"
        self.page.locator(pictures).first.wait_for()
        return self.page

    def _console(self, message) -> None:
        # Streamlit looks for its server below the address of a deep link first.
        looking = "/_stcore/" in message.location.get("url", "")
        if message.type == "error" and not looking:
            self.errors.append(message.text)

    def _request(self, url: str) -> None:
        if not url.startswith(("data:", "blob:")):
            self.hosts.add(url.split("/")[2].split(":")[0])


@pytest.fixture(scope="session")
def profile(browser: Browser) -> Iterator[BrowserContext]:
    """One for all visitors, whose pages share nothing but its cache: a third of a visit's work."""
    context = new_profile(browser)
    yield context
    context.close()


@pytest.fixture
def visit(profile: BrowserContext, address: str, request: pytest.FixtureRequest) -> Iterator[Visit]:
    """A fresh visitor; a test may give the size of the screen as its parameter."""
    page = profile.new_page()
    if screen := getattr(request, "param", None):
        page.set_viewport_size(screen)
    visitor = Visit(page, address)
    yield visitor
    page.close()
    assert visitor.errors == []
    assert visitor.hosts <= {"127.0.0.1"}
