"""Start a real server and a real browser."""

import os
import shutil
from collections.abc import Generator, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TypeVar
from urllib.parse import parse_qsl, urlencode, urlsplit

import numpy as np
import pytest
from numpy.typing import ArrayLike
from playwright.sync_api import (
    Browser,
    BrowserContext,
    BrowserType,
    FloatRect,
    Locator,
    Page,
    TimeoutError,
    ViewportSize,
    expect,
    sync_playwright,
)

from tests.browser.chromium import (
    BROWSER_VARIABLE,
    MISSING,
    SKIP_VARIABLE,
    launch,
    launch_kept,
)
from tests.browser.firefox import limits
from tests.links import check_query
from tests.server import link_shipped, serve_checkpoints
from tests.ui.app import record_training

# ms until a test gives up. Without a graphics card, a busy machine needs 15 s to draw a 3D scene.
# The time that a visitor waits is measured in benchmarks/, not here.
PATIENCE = 60_000
# These scripts run in every page before the app's own code.
READERS = "".join(
    Path(__file__).with_name(name).read_text(encoding="utf-8") for name in ("runs.js", "seen.js")
)
PHONE, SCREEN = {"width": 390, "height": 844}, {"width": 1280, "height": 900}
# What Firefox reports, but no visitor notices.
_HARMLESS = (
    # a library asks whether it may use WebAssembly, and works without it
    "blocked WebAssembly",
    # a page is left while the cursor is in a text box: the box loses the focus, and sends its text
    "Cannot send rerun backMessage when disconnected",
)
# Goes to a link as the buttons Back and Forward do.
_GO = """link => {
    history.pushState({}, "", link);
    dispatchEvent(new PopStateEvent("popstate", { state: {} }));
}"""

_PASSED = pytest.StashKey[bool]()  # whether a test has reached its end


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Note for the fixture ``tab`` whether a test has reached its end."""
    report = yield
    if report.when == "call":
        item.stash[_PASSED] = report.passed
    return report


@pytest.fixture(scope="session")
def engine() -> Iterator[BrowserType]:
    """Chromium, or the browser that ``BROWSER_VARIABLE`` names."""
    if os.environ.get(SKIP_VARIABLE):
        pytest.skip(f"{SKIP_VARIABLE} is set")
    expect.set_options(timeout=PATIENCE)
    name = os.environ.get(BROWSER_VARIABLE, "chromium")
    assert name in ("chromium", "firefox"), f"{BROWSER_VARIABLE} must be chromium or firefox"
    with sync_playwright() as playwright:
        started = getattr(playwright, name)
        is_own = Path(started.executable_path).exists()
        with limits(is_own) if name == "firefox" else nullcontext():
            yield started


@pytest.fixture(scope="session")
def browser(engine: BrowserType) -> Iterator[Browser]:
    launched = launch(engine) or pytest.fail(MISSING[engine.name])
    yield launched
    launched.close()


@pytest.fixture(scope="session")
def address(tiny_checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve the app with the shipped models and the fast model ``tiny``; yield its address."""
    checkpoints = link_shipped(tmp_path_factory.mktemp("checkpoints"))
    tiny = Path(shutil.copytree(tiny_checkpoint, checkpoints / "tiny"))
    record_training(tiny, languages=["en", "fr"])
    with serve_checkpoints(checkpoints) as address:
        yield address


def settle(page: Page, *, asked: int = 0) -> None:
    """Wait until the page shows the answer to the last action, without an exception.

    Args:
        asked: how often the page had asked its server before that action.
    """
    page.wait_for_function("asked => runs.asked > asked && runs.done()", arg=asked)
    assert page.evaluate("seen.faults()") == []


@contextmanager
def answered(page: Page) -> Iterator[None]:
    """Run a block that makes the page ask its server, and wait until the answer is shown."""
    asked = page.evaluate("runs.asked")
    yield
    settle(page, asked=asked)


def expect_link(page: Page, parts: dict[str, str | None]) -> None:
    """Wait until the address has these fields. None means that it must not have the field."""

    def has_them(url: str) -> bool:
        link = dict(parse_qsl(urlsplit(url).query))
        return all(link.get(name) == text for name, text in parts.items())

    page.wait_for_url(has_them)


def expect_map(page: Page, key: str, weights: ArrayLike) -> None:
    """Wait until the cells of a chart are drawn from these numbers, row by row."""
    wanted = [np.ravel(weights).tolist(), 1e-5]
    read = f"seen.weights('{key}')"
    try:
        page.wait_for_function(f"wanted => seen.same({read}, wanted)", arg=wanted)
    except TimeoutError:
        np.testing.assert_allclose(page.evaluate(read), wanted[0], rtol=0, atol=1e-5)
        raise


def expect_colours(painted: list[str], expected: list[str]) -> None:
    """Compare lists of colours (#rrggbb). Each channel may differ by 3: maps have 256 colours."""
    shown, wanted = ([list(bytes.fromhex(c[1:])) for c in some] for some in (painted, expected))
    np.testing.assert_allclose(shown, wanted, atol=3)


def painted(canvas: Locator) -> dict:
    """Return the texts, frames and pictures of cells of a canvas, with their positions."""
    return canvas.evaluate("canvas => seen.painted(canvas)")


def frame(box: dict) -> tuple[slice | int, slice | int]:
    """Return the rows and the columns inside the only frame of the only picture."""
    [(x, y, width, height)], [picture] = box["frames"], box["pictures"]
    w, h = picture["width"] / picture["columns"], picture["height"] / picture["rows"]
    column = slice(None) if width > picture["width"] else int((x + width / 2 - picture["x"]) / w)
    row = slice(None) if height > picture["height"] else int((y + height / 2 - picture["y"]) / h)
    return row, column


def cell(
    canvas: Locator, row: int, column: int, *, across: float = 0.5, picture_index: int = 0
) -> dict:
    """Return a point in a cell of a picture, relative to the upper left corner of the canvas."""
    picture = painted(canvas)["pictures"][picture_index]
    shrink = canvas.evaluate("canvas => canvas.clientWidth / parseFloat(canvas.style.width)")
    x = picture["x"] + (column + across) * picture["width"] / picture["columns"]
    y = picture["y"] + (row + across) * picture["height"] / picture["rows"]
    return {"x": shrink * x, "y": shrink * y}


def place_of(element: Locator) -> FloatRect:
    """Wait until an element no longer moves, and return its position.

    If the page meanwhile replaces the element, the new one is looked at.
    """
    while not (box := element.evaluate("element => seen.place(element)")):
        pass
    return box


def take_off_components(page: Page) -> None:
    """Remove all components from the page.

    Their observers then see a size of 0, and must not fail; ``visit`` notices an error.
    """
    page.evaluate(
        """async () => {
            for (const each of document.querySelectorAll(".stBidiComponent")) each.remove();
            for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
        }"""
    )
    assert page.locator(".stBidiComponent").count() == 0


def new_profile(browser: Browser, **options) -> BrowserContext:
    """Open a fresh browser context with long timeouts."""
    return _patient(browser.new_context(**options))


def _patient(context: BrowserContext) -> BrowserContext:
    context.set_default_timeout(PATIENCE)
    context.add_init_script(READERS)
    return context


class Visit:
    """One visitor's page, with its errors and its requests to other hosts."""

    def __init__(self, page: Page, address: str) -> None:
        self.page, self.address = page, address
        self.errors: list[str] = []
        self.hosts: set[str] = set()
        page.on("pageerror", lambda error: self._report(str(error)))
        page.on("console", self._console)
        page.on("request", lambda request: self._request(request.url))
        page.on("websocket", lambda socket: self._request(socket.url))

    def open(self, path: str = "", *, first: str = "") -> Page:
        """Open a page by a link, and wait until this part of it is drawn.

        Args:
            path: page and link; a field that no page reads is an error of the test.
            first: a selector of the part of the page that the test needs.
        """
        check_query(urlsplit(path).query)
        self.page.goto(f"{self.address}/{path}")
        listening = self.page.locator("html[data-takes]")  # the page listens for keys and clicks
        listening.wait_for(state="attached")
        settle(self.page)
        if first:
            self.page.locator(first).first.wait_for()
        return self.page

    def expect_no_error(self) -> None:
        """Check that the page reported no error since the last check, and asked no other host."""
        errors, self.errors = self.errors, []
        assert errors == []
        assert self.hosts <= {"127.0.0.1"}

    def _console(self, message) -> None:
        # Streamlit first looks for its server below the path of a deep link, and gets errors there.
        looking = "/_stcore/" in message.location.get("url", "")
        if message.type == "error" and not looking:
            self._report(message.text)

    def _report(self, error: str) -> None:
        if not any(part in error for part in _HARMLESS):
            self.errors.append(error)

    def _request(self, url: str) -> None:
        if not url.startswith(("data:", "blob:")):
            self.hosts.add(url.split("/")[2].split(":")[0])


class Tab(Visit):
    """A page that stays open for many tests. It goes to a link as the button Back does.

    This takes a third of the processor time of a fresh page, and shows the same: see test_app.py.
    For tests that look at a page, or that change only what its address says.
    """

    def __init__(self, page: Page, address: str) -> None:
        super().__init__(page, address)
        self.must_load = True  # nothing is open yet, or a test did not reach its end

    def open(self, path: str = "", *, first: str = "") -> Page:
        """Go to a link; load it if the open page cannot go there."""
        if self.must_load or not self._goes_to(path):
            super().open(path, first=first)
            self.must_load = False
        elif first:
            self.page.locator(first).first.wait_for()
        return self.page

    def _goes_to(self, path: str) -> bool:
        """Go to a link. Return whether the page then shows the link's choices and no others."""
        name, _, query = path.partition("?")
        check_query(query)
        link = {"lang": "en"} | dict(parse_qsl(query))
        if link["lang"] == "en":
            # A link without any choice would keep those of the page before. This one is a default.
            link = {"panel": "map"} | link
        if link.get("checkpoint") == "tiny":
            link = {"layer": "2"} | link  # its last layer, which a page adds to the link
        # a page begins or ends presenting when it is loaded, or by a key
        if (self.page.locator("html[data-present]").count() == 1) != ("present" in link):
            return False
        with answered(self.page):
            self.page.evaluate(_GO, f"/{name}?{urlencode(link)}")
        self.page.evaluate("document.querySelector('.stMain').scrollTo(0, 0)")
        shown = dict(parse_qsl(urlsplit(self.page.url).query))
        return shown.items() <= link.items()


@pytest.fixture(scope="session")
def profile(
    engine: BrowserType, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[BrowserContext]:
    """Start one browser for all visitors: its cache saves a third of the time of each visit."""
    context = launch_kept(engine, tmp_path_factory.mktemp("profile"))
    context = context or pytest.fail(MISSING[engine.name])
    yield _patient(context)
    context.close()


@pytest.fixture
def visit(profile: BrowserContext, address: str, request: pytest.FixtureRequest) -> Iterator[Visit]:
    """Open a fresh visit. A test may give the size of the screen as its parameter."""
    with visiting(profile, address, getattr(request, "param", None) or SCREEN) as visitor:
        yield visitor


@pytest.fixture(scope="module")
def shared_visit(profile: BrowserContext, address: str) -> Iterator[Visit]:
    """Open one visit for several tests of a file. Each test restores the page."""
    with visiting(profile, address, SCREEN) as visitor:
        yield visitor


@pytest.fixture(scope="module")
def _tab(profile: BrowserContext, address: str) -> Iterator[Tab]:
    with visiting(profile, address, SCREEN, Tab) as tab:
        yield tab


@pytest.fixture
def tab(_tab: Tab, request: pytest.FixtureRequest) -> Iterator[Tab]:
    """Return the ``Tab`` of a file. A test may give the size of the screen as its parameter."""
    _tab.page.set_viewport_size(getattr(request, "param", None) or SCREEN)
    _tab.page.emulate_media(media="null", color_scheme="light", reduced_motion="no-preference")
    _tab.page.mouse.move(0, 0)
    yield _tab
    if not request.node.stash.get(_PASSED, False):  # a skipped test may stop in its middle, too
        _tab.must_load = True
    _tab.expect_no_error()


@pytest.fixture(autouse=True)
def _in_front(request: pytest.FixtureRequest) -> None:
    """Show the page that stays open: in Firefox no other page has the focus."""
    for name in ("shared_visit", "_tab"):
        if name in request.fixturenames:
            request.getfixturevalue(name).page.bring_to_front()


V = TypeVar("V", bound=Visit)


@contextmanager
def visiting(
    profile: BrowserContext, address: str, screen: ViewportSize, kind: type[V] = Visit
) -> Iterator[V]:
    """Open a page for a visitor; at the end, check that there was no error.

    Args:
        profile: the browser.
        address: address of the app.
        screen: size of the page in pixels.
        kind: how the visitor goes to a link.
    """
    page = profile.new_page()
    page.set_viewport_size(screen)
    visitor = kind(page, address)
    yield visitor
    clock = page.evaluate("setTimeout.toString()")
    page.close()
    assert "native" in clock, "a clock is that of all pages of a profile: take one of its own"
    visitor.expect_no_error()
