"""Firefox for the browser tests: what Playwright cannot do in it.

Some things exist in Chromium only: printing to PDF, its own protocol, pretending to be a telephone.
In the Firefox of the system, unlike in its own, Playwright cannot pretend a dark theme either, and
it does not receive saved files. A test that asks for one of these is skipped and says why.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page

# What a page has to match after Playwright was asked to pretend something.
_QUERIES = {
    "media": "{}",
    "color_scheme": "(prefers-color-scheme: {})",
    "reduced_motion": "(prefers-reduced-motion: {})",
    "forced_colors": "(forced-colors: {})",
}
# Firefox takes this for typing: React notices it, and Enter then sends "change". It takes what
# Playwright itself writes into a box of the system's Firefox for the work of a script.
_TYPE = """(box, text) => {
    box.focus();
    box.select();
    return box.ownerDocument.execCommand(text ? "insertText" : "delete", false, text);
}"""


@contextmanager
def limits(own: bool) -> Iterator[None]:
    """Skip the tests that ask for what Playwright cannot do in Firefox.

    Args:
        own: whether it is Playwright's own Firefox, not that of the system.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Page, "pdf", _skipping("Only Chromium prints to PDF"))
        protocol = _skipping("Only Chromium has the DevTools protocol")
        patch.setattr(BrowserContext, "new_cdp_session", protocol)
        clipboard = _skipping("Only Chromium lets a test read the clipboard")
        patch.setattr(BrowserContext, "grant_permissions", clipboard)
        patch.setattr(Browser, "new_context", _checked(Browser.new_context, _new_page))
        if not own:
            no_files = _skipping("Playwright does not notice when this Firefox saves a blob")
            patch.setattr(Page, "expect_download", no_files)
            patch.setattr(Page, "emulate_media", _checked(Page.emulate_media, lambda page, _: page))
            patch.setattr(Browser, "new_page", _checked(Browser.new_page, lambda _, page: page))
            patch.setattr(Locator, "fill", _typing(Locator.fill))
        yield


def _skipping(reason: str) -> Callable[..., NoReturn]:
    def skip(*_: object, **__: object) -> NoReturn:
        pytest.skip(reason)

    return skip


def _typing(fill: Callable[[Locator, str], None]) -> Callable[[Locator, str], None]:
    """Return a method that types into a text box; ``fill`` moves a slider."""

    def type_text(box: Locator, text: str) -> None:
        if not box.evaluate(_TYPE, text):
            fill(box, text)

    return type_text


def _new_page(_: Browser, context: BrowserContext) -> Page:
    return context.new_page()


def _checked(act: Callable[..., Any], page_of: Callable[[Any, Any], Page]) -> Callable[..., Any]:
    """Return a method that skips the test if a page does not match what it should pretend.

    Args:
        act: the method of Playwright.
        page_of: returns the page to look at, from the object of the method and what it returned.
    """

    def checked(owner: Any, **options: Any) -> Any:
        if options.get("is_mobile"):
            pytest.skip("Only Chromium pretends to be a telephone")
        result = act(owner, **options)
        neutral = (None, "null", "none", "no-preference", "screen", "light")
        asked = {name: options.get(name) for name in _QUERIES}
        asked = {name: value for name, value in asked.items() if value not in neutral}
        if not asked:
            return result
        page = page_of(owner, result)
        for name, value in asked.items():
            if not page.evaluate(
                "query => matchMedia(query).matches", _QUERIES[name].format(value)
            ):
                pytest.skip(f"Playwright cannot pretend {name}={value} in this Firefox")
        if page is not owner and page is not result:
            page.close()
        return result

    return checked
