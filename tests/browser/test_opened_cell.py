"""A cell of the large map is opened by a click or on a phone. tests/ui checks its numbers."""

from urllib.parse import urlencode

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PHONE, answered, cell, expect_link, place_of
from tests.browser.views import GIVEN
from ui.text.translator import translator

pytestmark = pytest.mark.browser

TR = translator("en")
MAP = ".st-key-map canvas"
VIEW = "explorer?sentence=She+gave+him+the+book.&view=head&layer=3&head=3"


def _click(page: Page, row: int, column: int) -> None:
    """Click on the middle of a cell of the map, whether a weight is drawn there or not."""
    canvas = page.locator(MAP)
    with answered(page):
        canvas.click(position=cell(canvas, row, column))


def _story(page: Page):
    return page.locator("ol.cell")


def test_a_click_opens_a_cell_and_a_second_click_or_going_back_closes_it(visit):
    page = visit.open(VIEW, first=MAP)
    assert _story(page).count() == 0
    _click(page, 1, 3)
    expect_link(page, {"cell.row": "1", "cell.column": "3"})
    expect(_story(page)).to_be_visible()
    while "cell" in page.url:
        with answered(page):
            page.go_back()
    expect(_story(page)).to_have_count(0)
    _click(page, 2, 2)
    expect(_story(page).locator("li").first).to_be_in_viewport()
    expect_link(page, {"cell.row": "2", "cell.column": "2"})
    bars = _story(page).locator(".bars").first.locator("i")
    heights = bars.evaluate_all("bars => bars.map((bar) => bar.offsetHeight)")
    shown_heights = bars.evaluate_all(
        "bars => bars.map((bar) => Math.abs(bar.title.split(': ')[1]))"
    )
    assert (
        int(np.argmax(heights)) in np.argsort(shown_heights)[-3:]
    )  # the highest bar has one of the largest numbers
    motion = "step => getComputedStyle(step).animationName"
    assert _story(page).locator("li").first.evaluate(motion) == "unfold"
    page.emulate_media(reduced_motion="reduce")
    assert _story(page).locator("li").first.evaluate(motion) == "none"
    _click(page, 2, 2)
    expect(_story(page)).to_have_count(0)
    expect_link(page, {"cell.row": None})
    page.locator("h1").hover()  # otherwise the keys start at the pointer
    page.locator(MAP).focus()
    for key in ("ArrowDown", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    with answered(page):
        page.keyboard.press("Enter")
    expect_link(page, {"cell.row": "1", "cell.column": "2"})


@pytest.mark.parametrize("visit", [PHONE], indirect=True)
def test_a_tap_on_a_phone_opens_a_cell_that_the_mask_hides(visit):
    page = visit.open(f"{VIEW}&attention=decoder_self", first=MAP)
    _click(page, 1, 4)
    expect_link(page, {"cell.row": "1", "cell.column": "4"})
    expect(_story(page)).to_contain_text(TR("cell.hidden"))
    box = place_of(_story(page))
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= PHONE["width"]
    assert _story(page).evaluate("list => list.scrollWidth <= list.clientWidth")


def test_a_closed_box_of_options_keeps_the_choices_in_it(visit):
    """Streamlit forgets a control that is not drawn; only a browser shows it."""
    choices = {"map.hidden_row": "2", "cell.row": "3", "cell.column": "1"}
    link = f"explorer?{GIVEN}&view=head&layer=1&head=1&{urlencode(choices)}&explorer.options=True"
    page = visit.open(link, first=MAP)
    with answered(page):
        page.locator("summary", has_text=TR("options.label")).click()
    for head in (2, 3):
        with answered(page):
            page.get_by_role("button", name=f"Layer 1, head {head}", exact=True).click()
        expect_link(page, choices | {"head": str(head)})
    expect(_story(page)).to_be_visible()
