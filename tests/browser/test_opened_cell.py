"""A cell of the large map is opened: by a click, and on a phone."""

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from model import load
from model.maps.opened_cell import OpenedCell, open_cell
from tests.browser.conftest import PHONE, answered, cell, expect_link, place_of
from tests.server import ROOT
from ui.explorer.cell_story import number, share
from ui.text.translator import translator

pytestmark = pytest.mark.browser

TR = translator("en")
SENTENCE = "She gave him the book."
VIEW = f"explorer?sentence={SENTENCE.replace(' ', '+')}&view=head&layer=3&head=3"


@pytest.fixture(scope="module")
def trace():
    return load(ROOT / "checkpoints" / "en-fr").trace(SENTENCE)


def _cell(trace, row: int, column: int, *, kind: str = "cross") -> OpenedCell:
    return open_cell(trace, kind, layer=2, head=2, row=row, column=column)


def _click(page: Page, row: int, column: int) -> None:
    """On the middle of a cell of the map, drawn or not."""
    canvas = page.locator(".st-key-map canvas")
    with answered(page):
        canvas.click(position=cell(canvas, row, column))


def _story(page: Page):
    return page.locator("ol.cell")


def _expect(page: Page, cell: OpenedCell) -> None:
    """The numbers on the page are those of the model."""
    expect(_story(page).locator(".role-weight")).to_have_text(share(cell.weight))
    expect(_story(page).locator(".equation").first).to_contain_text(number(cell.score))
    titles = "bars => bars.map((bar) => Number(bar.title.split(': ')[1]))"
    products = _story(page).locator(".bars").nth(2).locator("i").evaluate_all(titles)
    np.testing.assert_allclose(products, cell.products, atol=1e-3)


def _open(visit, more: str = "") -> Page:
    return visit.open(f"{VIEW}{more}", first=".st-key-map canvas")


def test_a_click_opens_a_cell_and_back_or_another_click_closes_it(visit, trace):
    page = _open(visit)
    assert _story(page).count() == 0
    _click(page, 1, 3)
    _expect(page, _cell(trace, 1, 3))
    while "cell" in page.url:
        with answered(page):
            page.go_back()
    expect(_story(page)).to_have_count(0)
    _click(page, 2, 2)
    _expect(page, _cell(trace, 2, 2))
    expect(_story(page).locator("li").first).to_be_in_viewport()
    expect_link(page, {"cell.row": "2", "cell.column": "2"})
    bars = _story(page).locator(".bars").first.locator("i")
    heights = bars.evaluate_all("bars => bars.map((bar) => bar.offsetHeight)")
    values = np.abs(_cell(trace, 2, 2).query)
    assert int(np.argmax(heights)) in np.argsort(values)[-3:]  # bars are as high as their numbers
    motion = "step => getComputedStyle(step).animationName"
    assert _story(page).locator("li").first.evaluate(motion) == "unfold"
    page.emulate_media(reduced_motion="reduce")
    assert _story(page).locator("li").first.evaluate(motion) == "none"
    _click(page, 2, 2)
    expect(_story(page)).to_have_count(0)
    expect_link(page, {"cell.row": None})
    page.locator("h1").hover()  # else keys begin where the pointer is
    page.locator(".st-key-map canvas").focus()
    for key in ("ArrowDown", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    with answered(page):
        page.keyboard.press("Enter")
    expect_link(page, {"cell.row": "1", "cell.column": "2"})


@pytest.mark.parametrize("visit", [PHONE], indirect=True)
def test_a_finger_opens_what_the_mask_hides_on_a_phone(visit, trace):
    page = _open(visit, "&attention=decoder_self")
    _click(page, 1, 4)
    expect(_story(page)).to_contain_text(TR("cell.hidden"))
    expect(_story(page).locator(".role-weight")).to_have_text("0")
    _expect(page, _cell(trace, 1, 4, kind="decoder_self"))
    box = place_of(_story(page))
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= PHONE["width"]
    assert _story(page).evaluate("list => list.scrollWidth <= list.clientWidth")
