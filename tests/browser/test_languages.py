"""The language of a page: the browser's, then the switch's, and that of a copied link."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import SCREEN, Visit, answered, expect_link, new_profile, visiting
from tests.browser.views import GIVEN
from ui.text.translator import translator

pytestmark = pytest.mark.browser

ENGLISH, CHINESE = translator("en"), translator("zh")


@pytest.fixture(scope="module")
def visitor(browser: Browser, address: str) -> Iterator[Visit]:
    """Open a visit in a browser that asks for Chinese and allows copying."""
    may = ["clipboard-read", "clipboard-write"]
    context = new_profile(browser, locale="zh-CN", permissions=may)
    with visiting(context, address, SCREEN) as visitor:
        yield visitor
    context.close()


def test_the_switch_changes_the_language_and_keeps_the_view(visitor):
    page = visitor.open(f"explorer?{GIVEN}&layer=1", first=".st-key-tools")
    for tr in (CHINESE, ENGLISH):
        if tr is ENGLISH:
            with answered(page):
                page.locator(".st-key-language-switch").get_by_role("radio", name="English").click()
        expect(page.locator("h1")).to_have_text(tr("heading.explorer"))
        grid = page.locator(".grid")
        expect(grid).to_have_attribute("aria-label", tr("grid.label"))
        tile = tr("grid.open", layer=2, head=3)
        expect(grid.get_by_role("button", name=tile, exact=True)).to_be_visible()
    expect(page.locator("html")).to_have_attribute("lang", "en")
    # the hint beside the text box is in the chosen language
    page.get_by_label(ENGLISH("sentence.label")).press_sequentially("!")
    hint = page.get_by_test_id("InputInstructions").locator(":scope > :first-child")
    assert hint.evaluate("hint => getComputedStyle(hint, '::after').content") == (
        f'"{ENGLISH("tools.enter")}"'
    )
    # hides Streamlit's English words
    assert hint.evaluate("hint => getComputedStyle(hint).fontSize") == "0px"
    assert re.search(r"[?&]lang=en\b", page.url)
    expect(page.get_by_label(ENGLISH("sentence.label"))).to_have_value("I see a cat.!")


def test_a_sentence_becomes_one_line_when_it_is_pasted_and_enter_sends_it(visitor):
    page = visitor.open(f"explorer?{GIVEN}&lang=en", first=".st-key-tools")
    box = page.locator(".st-key-choice-sentence textarea")
    for keys, text, sentence in (
        ("Enter", "I see\na dog.", "I see a dog."),
        ("Shift+Enter", "\r\n I see \n\n a bird.\n", "I see a bird."),
    ):
        box.click()  # Firefox lets a page copy only after a click
        page.evaluate("text => navigator.clipboard.writeText(text)", text)
        page.keyboard.press("ControlOrMeta+a")
        page.keyboard.press("ControlOrMeta+v")
        expect(box).to_have_value(sentence)
        with answered(page):
            page.keyboard.press(keys)
        expect(box).to_have_value(sentence)
        expect_link(page, {"sentence": sentence})


def test_a_changed_list_of_sentences_says_which_keys_use_it(visitor):
    page = visitor.open("many", first=".st-key-tools")
    page.locator(".st-key-many-text textarea").press("x")
    hint = page.locator(".st-key-many-text [data-testid=InputInstructions]")
    expect(hint).to_be_in_viewport(ratio=1)  # no part is cut
    words = "element => getComputedStyle(element.firstElementChild, '::after').content"
    assert hint.evaluate(words) == f'"{CHINESE("tools.enter_list")}"'


def test_streamlits_own_upload_box_and_menu_are_translated_too(visitor):
    page = visitor.open("many", first=".st-key-tools")
    shown = "element => getComputedStyle(element, '::after').content"
    box = page.get_by_test_id("stFileUploader")
    button = box.locator("button [data-testid=stMarkdownContainer]").first
    assert button.evaluate(shown) == f'"{CHINESE("many.choose")}"'
    large = {"name": "list.txt", "mimeType": "text/plain", "buffer": b"a\n" * 600_000}
    box.locator("input[type=file]").set_input_files(large)
    expect(page.get_by_role("alert").filter(has_text="File must be")).to_be_attached()
    assert box.evaluate(shown) == f'"{CHINESE("many.refused", megabytes=1)}"'
    for language, other in ((CHINESE, ENGLISH), (ENGLISH, CHINESE)):
        page.get_by_role("button", name=language("tools.menu")).click()
        menu = page.get_by_test_id("stMainMenuList")
        for name in ("theme_system", "theme_light", "theme_dark"):
            item = menu.get_by_role("menuitemradio", name=language(f"tools.{name}"))
            expect(item).to_be_visible()
        menu.get_by_role("menuitem", name=language("tools.about")).click()
        about = page.get_by_role("dialog")
        expect(about).to_contain_text(language("tools.about"))
        expect(about).not_to_contain_text(other("tools.about"))
        about.get_by_role("button", name=language("tools.close")).click()
        own_name = other("language.own_name")
        with answered(page):
            page.locator(".st-key-language-switch").get_by_role("radio", name=own_name).click()


def test_the_copied_link_is_the_address_of_the_view(visitor):
    page = visitor.open(f"norms?{GIVEN}", first=".st-key-tools")
    with answered(page):
        page.locator(".st-key-norms-measure").get_by_role(
            "radio", name=CHINESE("norms.measure.cosine")
        ).click()
    expect(page).to_have_url(re.compile("norms.measure=cosine"))
    button = page.get_by_role("button", name=CHINESE("tools.copy"))
    button.click()
    expect(page.get_by_role("button", name=CHINESE("tools.copied"))).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == page.url
