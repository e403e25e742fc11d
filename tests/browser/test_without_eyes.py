"""Pictures for those who do not see them or use no mouse: tables, keys, words with a language."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import place_of
from ui.text.translator import translator

pytestmark = pytest.mark.browser

TEXTS = translator("en").texts
SENTENCE = "sentence=You+see+a+cat."
LONG = "I+said+that+it+is+late+and+" * 4 + "I+go."


def _twin(picture: Locator) -> Locator:
    """The tables of a picture, opened."""
    picture.locator("summary").filter(has_text=TEXTS["grid.table"]).click()
    return picture.get_by_role("table")


def _opened(visit, path: str, first: str) -> Page:
    visit.page.goto(f"{visit.address}/{path}")
    visit.page.locator(first).first.wait_for()
    return visit.page


def test_the_lines_have_a_table_for_each_head_that_is_on(visit):
    page = _opened(visit, f"explorer?panel=lines&layer=3&{SENTENCE}", ".stage canvas")
    picture = page.locator(".root").filter(has=page.locator(".stage"))
    tables = _twin(picture)
    expect(tables).to_have_count(8)
    rows = tables.first.locator("tbody tr")
    shown = page.locator(".queries li").all_text_contents()
    assert rows.locator("th").all_text_contents() == shown
    first_row = [float(cell) for cell in rows.first.locator("td").all_text_contents()]
    assert sum(first_row) == pytest.approx(1, abs=0.01)
    page.locator(".heads button").nth(1).click()
    expect(tables).to_have_count(7)


def test_tokens_say_which_language_they_are_of(visit):
    page = _opened(visit, f"explorer?panel=lines&{SENTENCE}", ".stage canvas")
    for side, language in (("queries", "fr"), ("keys", "en")):
        tokens = page.locator(f".{side} li bdi")
        assert {token.get_attribute("lang") for token in tokens.all()} == {language}
    header = _twin(page.locator(".root").filter(has=page.locator(".stage"))).first
    expect(header.locator("thead bdi").first).to_have_attribute("lang", "en")
    expect(header.locator("tbody bdi").first).to_have_attribute("lang", "fr")


def test_keys_go_from_token_to_token_and_over_to_the_other_side(visit):
    page = _opened(visit, f"explorer?panel=lines&{SENTENCE}", ".stage canvas")
    page.locator(".queries li").first.focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator(".queries li").nth(1)).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".keys li").nth(1)).to_be_focused()
    expect(page.locator(".unseen[aria-live]").first).to_contain_text("→ You")


def test_a_matrix_that_nothing_is_picked_in_is_read_with_keys_too(visit):
    page = _opened(visit, f"explorer?panel=steps&{SENTENCE}", "figure canvas")
    canvas = page.get_by_role("application").first
    canvas.focus()
    page.keyboard.press("ArrowRight")
    picture = page.locator(".root").filter(has=page.locator("figure")).first
    said = picture.locator(".unseen[aria-live]")
    expect(said).to_contain_text("You")
    expect(picture.locator(".tip")).to_have_text(said.text_content())
    row = _twin(picture).locator("tbody tr").first
    expect(row.locator("td")).not_to_have_count(0)  # the table may be drawn a moment later
    weights = [float(cell) for cell in row.locator("td").all_text_contents()]
    assert sum(weights) == pytest.approx(1, abs=0.01)


def test_arrows_go_along_a_stack_and_over_to_the_other(visit):
    page = _opened(visit, f"architecture?{SENTENCE}", "[data-name]")
    page.locator('[data-name="encoder.tokens"]').focus()
    page.keyboard.press("ArrowUp")
    expect(page.locator('[data-name="encoder.embedding"]')).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(page.locator('[data-name="decoder.embedding"]')).to_be_focused()
    expect(page.locator('[data-name][tabindex="0"]')).to_have_count(1)


@pytest.mark.parametrize("visit", [{"width": 390, "height": 844}], indirect=True)
def test_what_scrolls_by_itself_is_reached_with_keys(visit):
    page = _opened(visit, f"explorer?sentence={LONG}&target=Je+vais.", ".st-key-map svg.marks")
    box = page.locator(".st-key-map")
    expect(box).to_have_attribute("tabindex", "0")
    page.set_viewport_size({"width": 1920, "height": 1000})
    expect(box).not_to_have_attribute("tabindex", "0")


@pytest.mark.parametrize("visit", [{"width": 390, "height": 844}], indirect=True)
def test_on_a_telephone_all_heads_come_right_after_the_map(visit):
    page = _opened(visit, f"explorer?{SENTENCE}", ".st-key-map svg.marks")
    grid = page.locator(".grid").first
    grid.wait_for()
    chart, thumbnails = place_of(page.locator(".st-key-map")), place_of(grid)
    between = thumbnails["y"] - chart["y"] - chart["height"]
    assert 0 <= between < 360  # the title of the thumbnails, how to use them, how to find a head
    bar = place_of(page.locator(".st-key-figure-map .figure-bar"))
    assert bar["y"] > thumbnails["y"]
