"""A real server and a real browser."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    BrowserType,
    FloatRect,
    Locator,
    Page,
    expect,
    sync_playwright,
)

from model.checkpoint.snapshots import save_snapshot
from model.data.tokenizer import Tokenizer
from tests.browser.chromium import MISSING, SKIP_VARIABLE, launch, launch_kept
from tests.conftest import save_recurrent, tiny_model
from tests.server import ROOT, serve_checkpoints

SNAPSHOTS = range(12)  # steps
# ms to wait for what comes: a busy machine without a graphics card draws a scene in space for a
# quarter of a minute. How long a visitor waits is asked in benchmarks/, not here.
PATIENCE = 60_000


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Ask a browser once more: a busy machine may draw late. Both answers are told as RERUN.

    Not in a walk: what goes wrong once on the way is what it looks for.
    """
    for item in items:
        if item.get_closest_marker("browser") and item.path.name != "test_walks.py":
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.fixture(scope="session")
def chromium() -> Iterator[BrowserType]:
    if os.environ.get(SKIP_VARIABLE):
        pytest.skip(f"{SKIP_VARIABLE} is set")
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        yield playwright.chromium


@pytest.fixture(scope="session")
def browser(chromium: BrowserType) -> Iterator[Browser]:
    launched = launch(chromium) or pytest.fail(MISSING)
    yield launched
    launched.close()


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


def expect_link(page: Page, parts: dict[str, str | None]) -> None:
    """Wait until the address, which follows the page, has these parts; None is one it has not."""

    def has_them(url: str) -> bool:
        link = dict(parse_qsl(urlsplit(url).query))
        return all(link.get(name) == text for name, text in parts.items())

    page.wait_for_url(has_them)


def place_of(element: Locator) -> FloatRect:
    """Where it stands once it stands still; what is being drawn anew has no place for a moment."""
    before = None
    for _ in range(PATIENCE // 50):
        box = element.bounding_box()
        if box and box == before:
            return box
        before = box
        element.page.wait_for_timeout(50)
    pytest.fail(f"{element} does not stand still")


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
def profile(
    chromium: BrowserType, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[BrowserContext]:
    """One for all visitors: what it keeps of a page is more than a third of a visit's work."""
    context = launch_kept(chromium, tmp_path_factory.mktemp("profile")) or pytest.fail(MISSING)
    context.set_default_timeout(PATIENCE)
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
