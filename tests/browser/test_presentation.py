"""On a projector: the picture and its title alone, moved by keys that press the hidden controls."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import answered, place_of
from tests.browser.views import GIVEN
from ui.text.translator import translator

pytestmark = pytest.mark.browser

TR = translator("en")
PROJECTOR = {"width": 1920, "height": 1080}
SENTENCE = GIVEN


def _title(page: Page, layer: int, head: int) -> None:
    attention = TR("attention.cross")
    expect(page.locator("h2").first).to_have_text(
        TR("map.title_head", attention=attention, layer=layer, head=head)
    )


def _begin(page: Page) -> None:
    """By the key, from outside of any box."""
    page.locator("h1").click()
    page.keyboard.press("p")
    expect(_menu(page)).to_be_hidden()


def _menu(page: Page):
    return page.locator(".st-key-menu")


@pytest.mark.parametrize("visit", [PROJECTOR], indirect=True)
def test_keys_move_the_head_and_the_layer_and_escape_ends_it(visit):
    page = visit.open(f"explorer?{SENTENCE}&view=head&layer=1&head=1", first=".vega-embed svg")
    _title(page, 1, 1)
    wide = place_of(page.locator(".vega-embed svg").first)
    page.get_by_role("button", name=TR("tools.present")).click()
    expect(_menu(page)).to_be_hidden()
    expect(page.locator(".st-key-grid")).to_be_hidden()
    page.wait_for_function(
        "width => document.querySelector('.vega-embed svg').getBoundingClientRect().width > width",
        arg=1.3 * wide["width"],
    )
    box = place_of(page.locator(".vega-embed svg").first)
    assert 0 <= box["x"] < box["x"] + box["width"] <= PROJECTOR["width"]
    page.keyboard.press("ArrowRight")
    _title(page, 1, 2)
    page.keyboard.press("ArrowDown")
    _title(page, 2, 2)
    page.keyboard.press("ArrowLeft")
    _title(page, 2, 1)
    page.keyboard.press("ArrowUp")
    _title(page, 1, 1)
    page.keyboard.press("Escape")
    expect(_menu(page)).to_be_visible()
    # who types a p does not present
    page.get_by_label(TR("sentence.label")).focus()
    page.keyboard.press("p")
    expect(_menu(page)).to_be_visible()
    page.locator("h1").click()
    page.keyboard.press("Control+p")
    page.keyboard.press("ArrowRight")
    expect(_menu(page)).to_be_visible()
    page.keyboard.press("p")
    expect(_menu(page)).to_be_hidden()
    page.keyboard.press("p")
    expect(_menu(page)).to_be_visible()
    _title(page, 1, 1)
    page.locator(".st-key-tools").get_by_role("radio", name="中文").click()
    expect(page.get_by_role("button", name=translator("zh")("tools.present"))).to_be_visible()
    page.locator("h1").click()
    page.keyboard.press("p")
    expect(_menu(page)).to_be_hidden()


def test_keys_move_a_slider_and_the_space_bar_plays(visit):
    page = visit.open(f"explorer?{SENTENCE}&panel=steps", first=".candidates")
    slider = page.locator("input[type=range]").first
    caption = page.locator(".candidates")
    first = caption.inner_text()
    _begin(page)
    page.keyboard.press("ArrowRight")
    expect(slider).to_have_value("1")
    expect(caption).not_to_have_text(first)
    page.keyboard.press(" ")
    expect(slider).to_have_value("3")
    page.keyboard.press(" ")


def test_keys_walk_the_steps_of_a_lesson(visit):
    page = visit.open("qkv?qkv.source=classroom")
    title = page.locator("h2").first
    expect(title).to_have_text(f"1. {TR('qkv.step.input')}")
    _begin(page)
    page.keyboard.press("ArrowRight")
    expect(title).to_have_text(f"2. {TR('qkv.step.project')}")
    page.keyboard.press("ArrowLeft")
    expect(title).to_have_text(f"1. {TR('qkv.step.input')}")
    page = visit.open("architecture?checkpoint=tiny", first="svg [data-name]")
    now = page.locator('svg [aria-pressed="true"]')
    expect(now).to_have_attribute("data-name", "encoder.tokens")
    _begin(page)
    for key, name in (("ArrowRight", "encoder.embedding"), ("ArrowLeft", "encoder.tokens")):
        with answered(page):
            page.keyboard.press(key)
        expect(now).to_have_attribute("data-name", name)


def test_the_space_bar_plays_the_start_page(visit):
    page = visit.open(first=".player .play")
    button = page.locator(".player .play")
    page.locator(".player").get_by_role("slider").press("End")
    expect(button).to_have_attribute("data-playing", "false")
    _begin(page)
    page.keyboard.press(" ")
    expect(button).to_have_attribute("data-playing", "true")
    page.keyboard.press(" ")
    expect(button).to_have_attribute("data-playing", "false")


def test_enter_reveals_the_row_that_a_class_guesses(visit):
    page = visit.open(f"explorer?{SENTENCE}&view=head&map.hidden_row=2", first=".st-key-map svg")
    sums = page.locator(".st-key-map svg.marks")
    expect(sums).to_contain_text("?")
    _begin(page)
    page.keyboard.press("Enter")
    expect(sums).not_to_contain_text("?")
