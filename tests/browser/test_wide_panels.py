"""Beam and logit lens have a column for each token: the whole width is theirs."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit, place_of, settle

pytestmark = pytest.mark.browser

LONG = "The+old+man+told+the+children+that+he+had+never+seen+such+a+beautiful+sunset."
SCREENS = [(1440, 900), pytest.param(1920, 1080, marks=pytest.mark.slow), (390, 844)]
_BOX = {"beam": ".st-key-tree", "logit_lens": ".token-table"}


def _sizes(page: Page, panel: str) -> dict[str, float]:
    """Pixels: of the page's column, of the box of the picture, and of the picture itself."""
    return page.evaluate(
        """selector => {
            const box = document.querySelector(selector);
            const main = document.querySelector('.stMainBlockContainer');
            const { paddingLeft, paddingRight } = getComputedStyle(main);
            return {
                room: main.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight),
                box: box.clientWidth,
                picture: box.scrollWidth,
                page: document.body.scrollWidth,
            };
        }""",
        _BOX[panel],
    )


def _opened(visit: Visit, panel: str, link: str, width: int, height: int) -> dict[str, float]:
    page = visit.page
    page.set_viewport_size({"width": width, "height": height})
    page.goto(f"{visit.address}/explorer?panel={panel}{link}")
    page.locator(_BOX[panel]).first.wait_for()
    if panel == "beam":
        page.locator(f"{_BOX[panel]} .vega-embed svg").wait_for()
    settle(page)
    return _sizes(page, panel)


@pytest.mark.parametrize("panel", _BOX)
@pytest.mark.parametrize("link", [pytest.param("", marks=pytest.mark.slow), f"&sentence={LONG}"])
@pytest.mark.parametrize(("width", "height"), SCREENS)
def test_the_picture_has_the_whole_width_before_anything_is_cut_off(
    visit: Visit, panel: str, link: str, width: int, height: int
) -> None:
    sizes = _opened(visit, panel, link, width, height)
    assert sizes["picture"] <= sizes["box"] + 1 or sizes["box"] >= sizes["room"] - 2
    assert sizes["page"] <= width


@pytest.mark.parametrize("panel", _BOX)
def test_the_sentence_that_one_begins_with_is_whole(visit: Visit, panel: str) -> None:
    sizes = _opened(visit, panel, "", 1440, 900)
    assert sizes["picture"] <= sizes["box"] + 1


def test_the_maps_stand_below_and_still_lead_to_the_large_map(visit: Visit) -> None:
    _opened(visit, "beam", "", 1440, 900)
    page = visit.page
    tree, grid = (
        place_of(page.locator(selector)) for selector in (".st-key-tree", ".st-key-figure-grid")
    )
    assert grid["y"] >= tree["y"] + tree["height"]
    page.get_by_role("button", name="Layer 2, head 3", exact=True).click()
    page.wait_for_url(lambda url: "panel=beam" not in url and "head=3" in url)
    page.locator(".st-key-map .vega-embed svg").wait_for()


def test_on_a_projector_the_picture_is_alone(visit: Visit) -> None:
    _opened(visit, "beam", "", 1440, 900)
    page = visit.page
    page.keyboard.press("p")
    expect(page.locator(".st-key-figure-grid")).to_be_hidden()
    expect(page.locator(".st-key-tree .vega-embed svg")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".st-key-figure-grid")).to_be_visible()
