"""In a real browser: its language at first, the switch after that, and links that carry a view."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.conftest import Visit, new_profile, settle
from ui.text.translator import translator

pytestmark = pytest.mark.browser

ENGLISH, CHINESE = translator("en"), translator("zh")
SENTENCE = "sentence=You+see+a+cat.&checkpoint=tiny"


@pytest.fixture(scope="module")
def chinese(browser: Browser) -> Iterator[BrowserContext]:
    """A browser that asks for Chinese, and may copy."""
    context = new_profile(
        browser, locale="zh-CN", permissions=["clipboard-read", "clipboard-write"]
    )
    yield context
    context.close()


@pytest.fixture
def visitor(chinese: BrowserContext, address: str) -> Iterator[Visit]:
    visitor = Visit(chinese.new_page(), address)
    yield visitor
    visitor.page.close()
    assert visitor.errors == []
    assert visitor.hosts <= {"127.0.0.1"}


def _opened(visitor: Visit, path: str) -> Page:
    page = visitor.page
    page.goto(f"{visitor.address}/{path}")
    page.locator(".st-key-tools").wait_for()
    settle(page)
    return page


def test_the_switch_changes_the_page_where_it_stands(visitor):
    page = _opened(visitor, f"explorer?{SENTENCE}&layer=1")
    page.locator(".st-key-tools").get_by_role("radio", name="English").click()
    settle(page)
    expect(page.locator("h1")).to_have_text(ENGLISH("heading.explorer"))
    expect(page.locator("html")).to_have_attribute("lang", "en")
    assert re.search(r"[?&]lang=en\b", page.url)
    expect(page.get_by_label(ENGLISH("sentence.label"))).to_have_value("You see a cat.")


def test_who_types_is_told_in_their_language_what_to_press(visitor):
    page = _opened(visitor, f"explorer?{SENTENCE}")
    page.get_by_label(CHINESE("sentence.label")).press_sequentially("!")
    said = page.get_by_test_id("InputInstructions").locator(":scope > :first-child")
    assert said.evaluate("said => getComputedStyle(said, '::after').content") == (
        f'"{CHINESE("tools.enter")}"'
    )
    assert said.evaluate("said => getComputedStyle(said).fontSize") == "0px"  # Streamlit's words


def test_streamlit_s_own_menu_speaks_the_language_too(visitor):
    page = _opened(visitor, "cost")
    for language, other in ((CHINESE, ENGLISH), (ENGLISH, CHINESE)):
        page.get_by_role("button", name=language("tools.menu")).click()
        menu = page.get_by_test_id("stMainMenuList")
        for name in ("theme_system", "theme_light", "theme_dark"):
            item = menu.get_by_role("menuitemradio", name=language(f"tools.{name}"))
            expect(item).to_be_visible()
        menu.get_by_role("menuitem", name=language("tools.about")).click()
        box = page.get_by_role("dialog")
        expect(box).to_contain_text(language("tools.about"))
        expect(box).not_to_contain_text(other("tools.about"))
        box.get_by_role("button", name=language("tools.close")).click()
        own_name = other("language.own_name")
        page.locator(".st-key-tools").get_by_role("radio", name=own_name).click()
        settle(page)


def test_a_copied_link_shows_the_same_in_another_browser(visitor, visit):
    page = _opened(visitor, f"norms?{SENTENCE}")
    page.locator(".st-key-norms-measure").get_by_role(
        "radio", name=CHINESE("norms.measure_cosine")
    ).click()
    expect(page).to_have_url(re.compile("norms.measure=cosine"))
    button = page.get_by_role("button", name=CHINESE("tools.copy"))
    button.click()
    expect(page.get_by_role("button", name=CHINESE("tools.copied"))).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")
    assert link == page.url
    other = _opened(visit, link.removeprefix(f"{visit.address}/"))
    chosen = other.locator(".st-key-norms-measure").get_by_role("radio", checked=True)
    expect(chosen).to_have_text(ENGLISH("norms.measure_cosine"))
    other.get_by_role("button", name=ENGLISH("link.reset")).click()
    settle(other)
    expect(chosen).to_have_text(ENGLISH("norms.measure_norm"))
    assert "?" not in other.url


def test_back_undoes_a_choice(visitor):
    page = _opened(visitor, f"norms?{SENTENCE}")
    measure = page.locator(".st-key-norms-measure")
    measure.get_by_role("radio", name=CHINESE("norms.measure_share")).click()
    settle(page)
    page.go_back()
    settle(page)
    expect(measure.get_by_role("radio", checked=True)).to_have_text(CHINESE("norms.measure_norm"))
    page.go_forward()
    settle(page)
    expect(measure.get_by_role("radio", checked=True)).to_have_text(CHINESE("norms.measure_share"))
