"""Experiments in a browser: where a click on a picture of heads goes."""

from urllib.parse import quote

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import answered, expect_link, place_of
from tests.browser.views import SENTENCE

pytestmark = pytest.mark.browser

CELL = 44  # pixels


def _grid(page: Page, title: str) -> Locator:
    return page.get_by_role("application", name=title)


def _click(grid: Locator, row: int, column: int) -> None:
    """A cell, counted from the right: its labels end there."""
    x = place_of(grid)["width"] - 2 - (3 - column - 0.5) * CELL
    with answered(grid.page):
        grid.click(position={"x": x, "y": 22 + (row + 0.5) * CELL})


def test_a_guess_then_the_answer_then_one_head(visit):
    page = visit.open(f"experiments?checkpoint=tiny&sentence={quote(SENTENCE)}")
    _click(_grid(page, "Not measured yet"), 5, 2)  # rows: encoder 1, 2, decoder 1, 2, cross 1, 2
    expect(page.get_by_text("Your guess: Cross 2, head 3")).to_be_visible()
    expect_link(page, {"experiments.guess": "cross-2-3"})
    with answered(page):
        page.get_by_role("button", name="Reveal").click()
    _click(_grid(page, "Δ log-probability of the translation without each head"), 2, 0)
    expect(page.get_by_text("ablated, 1 in all", exact=False).first).to_be_visible()
    expect_link(page, {"ablated": "d1.1"})
    grid = page.get_by_role("application", name="Heads", exact=False).first
    with answered(page):
        grid.click(position={"x": place_of(grid)["width"] - 20, "y": 120})
    expect(page.get_by_text("ablated, 2 in all", exact=False).first).to_be_visible()
