"""What the browser tests do in Firefox: they skip what Playwright cannot do there."""

from unittest.mock import MagicMock

import pytest
from playwright.sync_api import Browser, BrowserContext, Error, Locator, Page

from tests.browser.chromium import launch
from tests.browser.firefox import limits


def _page(monkeypatch: pytest.MonkeyPatch, *, matches: bool) -> Page:
    """Return a page that accepts everything, and that matches each media query or none."""
    monkeypatch.setattr(Page, "emulate_media", lambda *_, **__: None)
    monkeypatch.setattr(Page, "evaluate", lambda *_: matches)
    return Page.__new__(Page)


def test_what_only_chromium_can_do_is_skipped_and_said():
    with limits(own=True):
        with pytest.raises(pytest.skip.Exception, match="Only Chromium prints to PDF"):
            Page.pdf(Page.__new__(Page), format="A4")
        with pytest.raises(pytest.skip.Exception, match="DevTools protocol"):
            BrowserContext.new_cdp_session(BrowserContext.__new__(BrowserContext), None)
        with pytest.raises(pytest.skip.Exception, match="clipboard"):
            BrowserContext.grant_permissions(BrowserContext.__new__(BrowserContext), ["any"])
        with pytest.raises(pytest.skip.Exception, match="telephone"):
            Browser.new_context(Browser.__new__(Browser), is_mobile=True)


def test_a_theme_that_the_page_does_not_get_is_skipped(monkeypatch):
    page = _page(monkeypatch, matches=False)
    with limits(own=False):
        page.emulate_media(color_scheme="light")
        with pytest.raises(pytest.skip.Exception, match="color_scheme=dark"):
            page.emulate_media(color_scheme="dark")


def test_a_theme_that_the_page_gets_is_tested(monkeypatch):
    page = _page(monkeypatch, matches=True)
    with limits(own=False):
        page.emulate_media(color_scheme="dark", media="print")


def test_the_limits_end_with_the_block():
    before = (Page.pdf, Page.emulate_media, Page.expect_download, Locator.fill)
    with limits(own=False):
        within = (Page.pdf, Page.emulate_media, Page.expect_download, Locator.fill)
    assert all(one is not other for one, other in zip(before, within, strict=True))
    assert (Page.pdf, Page.emulate_media, Page.expect_download, Locator.fill) == before


def test_firefox_is_playwrights_own_or_else_that_of_the_system(monkeypatch):
    monkeypatch.setattr("shutil.which", lambda name: f"/bin/{name}")
    engine, browser = MagicMock(), object()
    engine.name = "firefox"
    engine.launch.side_effect = [Error("not installed"), browser]
    assert launch(engine) is browser
    own, of_system = (call.kwargs for call in engine.launch.call_args_list)
    assert own == {}
    assert of_system == {"channel": "moz-firefox", "executable_path": "/bin/firefox"}
