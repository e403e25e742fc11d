"""Words of a text that light what they name, as a visitor points at them, tabs to them or taps."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Visit, settle
from ui.text.roles import ROLES
from ui.text.translator import translator

pytestmark = pytest.mark.browser


def _fifth_step(visit: Visit, language: str = "en", theme: str = "light") -> Page:
    """Lesson 1 where queries meet keys: the matrices q, k and product."""
    page = visit.page
    page.emulate_media(color_scheme=theme)
    page.goto(f"{visit.address}/qkv?checkpoint=tiny&lang={language}")
    step = f"5 {translator(language)('qkv.step.product')}"
    page.get_by_text(step, exact=True).click()
    page.locator("figure").nth(2).wait_for()
    settle(page)
    return page


def _word(page: Page, role: str, nth: int = 0) -> Locator:
    return page.locator(f'a[href="#role-{role}"]').nth(nth)


def _lit(page: Page) -> Locator:
    return page.locator("figure.lit figcaption strong")


def test_a_word_that_is_pointed_at_lights_the_matrix_of_its_name(visit: Visit) -> None:
    page = _fifth_step(visit)
    asked: list[object] = []
    page.on("websocket", lambda socket: asked.append(socket))
    page.on("request", lambda request: asked.append(request))
    for role, title in (("query", "q"), ("key", "k"), ("score", "product")):
        _word(page, role).hover()
        expect(_lit(page)).to_have_text([title])
    _word(page, "value").hover()  # this step shows no values
    expect(_lit(page)).to_have_count(0)
    _word(page, "weight").hover()  # below: one row of them, before a change and after
    expect(_lit(page)).to_have_text(["Before", "After"])
    page.locator("h2").first.hover()
    expect(_lit(page)).to_have_count(0)
    assert asked == []


@pytest.mark.parametrize("language", ["en", pytest.param("zh", marks=pytest.mark.slow)])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_word_and_matrix_have_one_colour_and_the_word_a_line(
    visit: Visit, language: str, theme: str
) -> None:
    page = _fifth_step(visit, language, theme)
    for role, title in (("query", "q"), ("key", "k"), ("score", "product")):
        hexadecimal = getattr(ROLES[role], theme)
        expected = f"rgb({', '.join(str(int(hexadecimal[n : n + 2], 16)) for n in (1, 3, 5))})"
        expect(_word(page, role)).to_have_css("color", expected)
        expect(_word(page, role)).to_have_css("text-decoration-style", ROLES[role].line.split()[0])
        name = page.locator("figure figcaption strong").get_by_text(title, exact=True)
        expect(name).to_have_css("color", expected)


def test_keys_stop_at_words_that_light_something_and_enter_leaves_the_address(
    visit: Visit,
) -> None:
    page = _fifth_step(visit)
    page.locator(".st-key-lessons a").last.focus()  # what stands before the text
    found = []
    for _ in range(4):
        page.keyboard.press("Tab")
        found.append(page.evaluate("document.activeElement.hash ?? ''"))
        if found[-1]:
            expect(page.locator("figure.lit")).not_to_have_count(0)
    assert found[:4] == ["#role-query", "#role-key", "#role-score", "#role-weight"]
    url = page.url
    page.keyboard.press("Enter")
    page.wait_for_timeout(300)
    assert page.url == url


@pytest.mark.parametrize("visit", [{"width": 390, "height": 844}], indirect=True)
def test_on_a_phone_a_tap_leads_to_the_matrix(visit: Visit) -> None:
    page = _fifth_step(visit)
    _word(page, "key").scroll_into_view_if_needed()
    _word(page, "key").click()
    expect(_lit(page)).to_have_text(["k"])
    expect(page.locator("figure.lit")).to_be_in_viewport()
    assert "#" not in page.url
