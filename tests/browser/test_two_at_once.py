"""Two maps beside each other, taken with the pointer, a finger and the keyboard."""

from __future__ import annotations

import itertools
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from model import Trace, load
from model.checkpoint.snapshots import list_snapshots
from tests.browser.conftest import PHONE, answered, expect_link, expect_map, place_of
from tests.browser.test_grid import head_of
from tests.browser.views import GIVEN, SENTENCE, TARGET

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def trace(tiny_checkpoint: Path) -> Trace:
    return load(tiny_checkpoint).trace(SENTENCE, target=TARGET)


def _expect_two(page: Page, trace: Trace, first: tuple[int, int], second: tuple[int, int]) -> None:
    maps = [trace.cross[layer - 1, head - 1] for layer, head in (first, second)]
    _expect_maps(page, *maps)


def _expect_maps(page: Page, first: np.ndarray, second: np.ndarray) -> None:
    for name, weights in (("a", first), ("b", second), ("difference", first - second)):
        expect_map(page, f"two-map-{name}", weights)


def test_a_click_with_shift_puts_a_second_head_beside_the_first(visit, trace):
    page = visit.open(f"explorer?{GIVEN}&layer=1&head=3&view=head")
    head_of(page, 2, 1).click(modifiers=["Shift"])
    expect(page.get_by_role("heading", name="Cross attention: two at once")).to_be_visible()
    expect(head_of(page, 1, 3, "A")).to_have_attribute("aria-pressed", "true")
    expect(head_of(page, 2, 1, "B")).to_have_attribute("data-letters", "B")
    _expect_two(page, trace, (1, 3), (2, 1))
    between = trace.cross[0, 2] - trace.cross[1, 0]
    more = "A" if between.max() == np.abs(between).max() else "B"
    amount = f"{np.abs(between).max():.4f} more in {more}."
    expect(page.get_by_text(amount)).to_be_visible()
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
    with answered(page):
        page.get_by_role("button", name="Reset").click()
    expect_link(page, {"panel": None, "second_layer": None, "second_head": None})
    # the colours of a difference are on both sides of nothing
    visit.open(f"explorer?{GIVEN}&panel=compare&layer=1&head=3&view=head&second_layer=2")
    expect_map(page, "two-map-difference", trace.cross[0, 2] - trace.cross[1, 1])
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
    chosen = page.get_by_role("radiogroup", name="Head of B").get_by_role("radio", name="2")
    expect(chosen).to_be_checked()
    chosen.focus()  # and without Shift: the second has controls of its own
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    expect(head_of(page, 2, 3, "B")).to_be_visible()
    _expect_two(page, trace, (1, 1), (2, 3))


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


def test_another_checkpoint_reads_the_sentence_and_then_the_same_words(visit):
    small, large = (load(Path("checkpoints") / name) for name in ("en-fr-small", "en-fr"))
    page = visit.open(f"explorer?sentence={quote(SENTENCE)}&view=head&layer=1&head=6&unit=words")
    page.get_by_role("radio", name="Two at once").click()
    page.get_by_role("radio", name="Another checkpoint").click()
    page.get_by_role("combobox", name="Checkpoint").click()
    page.get_by_role("option", name="en-fr-small").click()
    expect(page.get_by_role("heading", name="All layers and heads of en-fr-small")).to_be_visible()
    page.get_by_role("radio", name="the translation of A").click()
    page.get_by_role("button", name="Layer 2, head 4", exact=True).last.click()
    expect(head_of(page, 2, 4, "B")).to_be_visible()
    first = large.trace(SENTENCE)
    second = small.trace(SENTENCE, target=first.target_text)
    assert first.next_tokens == second.next_tokens  # words of one piece: nothing is merged
    maps = first.cross[0, 5], second.cross[1, 3]
    _expect_maps(page, *maps)
    page.get_by_role("radio", name="Value norms").click()
    expect(page.get_by_text("No difference:")).to_be_visible()
    expect(page.locator(".st-key-two-map-difference")).to_have_count(0)


def test_a_second_step_stands_beside_the_one_on_the_slider(visit):
    folder = Path("checkpoints") / "en-fr-small"
    steps = list_snapshots(folder)
    page = visit.open(
        f"learning?sentence=I+see.&learning.step.en-fr-small.{len(steps)}={steps[-1]}"
    )
    link = page.url
    n = link.partition("learning.step.")[2].partition("=")[0]
    page = visit.open(f"{link.partition('//')[2].partition('/')[2]}&learning.beside.{n}={steps[4]}")
    sides = page.locator(".side")
    expect(sides).to_have_count(3)
    expect(sides.nth(0)).to_contain_text(f"step {steps[-1]:,}")
    expect(sides.nth(1)).to_contain_text(f"step {steps[4]:,}")
    page.get_by_role("slider", name="Step of the training").focus()
    with answered(page):
        page.keyboard.press("ArrowLeft")
    expect(sides.nth(0)).to_contain_text(f"step {steps[-2]:,}")
    expect(sides.nth(1)).to_contain_text(f"step {steps[4]:,}")
    with answered(page):
        page.get_by_role("button", name="Reset").click()
    expect(sides).to_have_count(0)
