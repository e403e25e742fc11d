"""Two maps beside each other, taken with the pointer, a finger and the keyboard."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from model import Trace, load
from tests.browser.conftest import PHONE, answered, expect_link, expect_map, place_of
from tests.browser.test_grid import head_of
from tests.browser.views import GIVEN, SENTENCE, TARGET

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def trace(tiny_checkpoint: Path) -> Trace:
    return load(tiny_checkpoint).trace(SENTENCE, target=TARGET)


def _expect_two(page: Page, trace: Trace, first: tuple[int, int], second: tuple[int, int]) -> None:
    a, b = (trace.cross[layer - 1, head - 1] for layer, head in (first, second))
    for name, weights in (("a", a), ("b", b), ("difference", a - b)):
        expect_map(page, f"two-map-{name}", weights)


def test_a_click_with_shift_puts_a_second_head_beside_the_first(visit, trace):
    page = visit.open(f"explorer?{GIVEN}&layer=1&head=3&view=head")
    head_of(page, 2, 1).click(modifiers=["Shift"])
    expect(page.get_by_role("heading", name="Cross attention: two at once")).to_be_visible()
    expect(head_of(page, 1, 3, "A")).to_have_attribute("aria-pressed", "true")
    expect(head_of(page, 2, 1, "B")).to_have_attribute("data-letters", "B")
    _expect_two(page, trace, (1, 3), (2, 1))
    with answered(page):
        head_of(page, 1, 2).click()  # a plain click is the first
    expect(head_of(page, 1, 2, "A")).to_be_visible()
    _expect_two(page, trace, (1, 2), (2, 1))
    expect_link(page, {"panel": "compare", "second_layer": "2", "second_head": "1"})
    page.go_back()
    _expect_two(page, trace, (1, 3), (2, 1))
    page.go_back()
    expect(page.get_by_role("heading", name="Cross attention · layer 1 · head 3")).to_be_visible()
    page.go_forward()
    _expect_two(page, trace, (1, 3), (2, 1))
    # the colours of a difference are on both sides of nothing
    signs = page.locator(".st-key-two-map-difference .mark-rect.role-mark path").evaluate_all(
        """cells => cells.map((cell) => {
            const [r, , b] = getComputedStyle(cell).fill.match(/\\d+/g).map(Number);
            return [cell.__data__.datum.weight, b - r];
        })"""
    )
    strong = [(weight, blue) for weight, blue in signs if abs(weight) > 0.1]
    assert strong
    assert all((weight > 0) == (blue > 0) for weight, blue in strong)


def test_the_keyboard_takes_a_second_head_too(visit, trace):
    page = visit.open(f"explorer?{GIVEN}&layer=1&head=1&view=head")
    head_of(page, 1, 1).focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+Enter")
    expect(head_of(page, 2, 2, "B")).to_be_focused()
    _expect_two(page, trace, (1, 1), (2, 2))


@pytest.mark.parametrize("visit", [PHONE], indirect=True)
def test_a_long_press_takes_a_second_head_and_the_maps_stand_below_each_other(visit, trace):
    page = visit.open(f"explorer?{GIVEN}&layer=1&head=3&view=head")
    tile = head_of(page, 2, 1)
    tile.scroll_into_view_if_needed()
    tile.hover()
    page.mouse.down()
    expect(head_of(page, 2, 1, "B")).to_be_visible()  # while the finger is still down
    page.mouse.up()
    expect(head_of(page, 1, 3, "A")).to_be_visible()  # lifting it is no click
    _expect_two(page, trace, (1, 3), (2, 1))
    names = ("a", "b", "difference")
    boxes = [place_of(page.locator(f".st-key-two-map-{name}")) for name in names]
    for above, below in itertools.pairwise(boxes):
        assert above["y"] + above["height"] <= below["y"]
        assert abs(above["x"] - below["x"]) < 2
