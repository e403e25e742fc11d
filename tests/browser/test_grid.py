"""The grid of all maps: its colours, its texts, and each way to choose one map or two."""

import itertools
import re

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from model import Trace
from model.checkpoint.checkpoint import save_checkpoint
from model.heads.analysis_file import read_analysis
from model.heads.kinds import kinds_of
from model.pictures.colours import COLOURS
from model.pictures.tokens import display
from tests.browser.conftest import (
    PHONE,
    SCREEN,
    answered,
    expect_colours,
    expect_link,
    expect_map,
    place_of,
    visiting,
)
from tests.browser.views import GIVEN
from tests.conftest import tiny_model
from tests.server import serve_checkpoints
from tests.ui.app import record_training
from ui.frame.head_kinds import in_a_sentence
from ui.text.translator import translator

pytestmark = pytest.mark.browser

ONE = f"explorer?{GIVEN}&view=head&layer=1&head=1"
HEAD = "Layer 2, head 2", "layer 2 · head 2"
MEAN = "Layer 2, mean of its heads", "layer 2 · mean of 3 heads"
PLACE = "(({ x, y, width, height }) => [x, y, width, height])(seen.painted(seen.map()).pictures[0])"


def head_of(page: Page, layer: int, head: int, letter: str = "") -> Locator:
    name = f"Layer {layer}, head {head}" + (f", {letter}" if letter else "")
    return page.get_by_role("button", name=name, exact=True)


def _expect_large(page: Page, trace: Trace, layer: int, head: int) -> None:
    """Expect this head in the large map, in its title and as the pressed small map."""
    title = f"Cross-attention · layer {layer} · head {head}"
    expect(page.get_by_role("heading", name=title)).to_be_visible()
    expect_map(page, "map", trace.cross[layer - 1, head - 1])
    pressed = page.locator('.tile[aria-pressed="true"]')
    expect(pressed).to_have_attribute("aria-label", f"Layer {layer}, head {head}")


def test_each_cell_has_the_colour_of_its_weight(tab, trace):
    tab.page.emulate_media(color_scheme="dark")
    page = tab.open(ONE, first=".st-key-map canvas")
    grid = page.locator(".grid")
    place_of(grid)
    maps = np.concatenate((trace.cross, trace.cross.mean(axis=1, keepdims=True)), axis=1)
    shades = [int(weight * 65535 + 0.5) // 256 / 255 for weight in maps.ravel()]
    expected = [COLOURS["dark"].of(shade) for shade in shades]
    assert len(set(expected)) > 20
    shape = [*trace.cross.shape[2:]]
    expect_colours(grid.evaluate("(grid, shape) => seen.grid(grid, shape)", shape), expected)


def test_pointing_at_a_map_tells_the_weight_of_a_cell(tab, trace):
    page = tab.open(ONE, first=".grid")
    rows, columns = trace.cross.shape[2:]
    tile = head_of(page, 2, 3)
    box = place_of(tile)
    tip = page.locator(".st-key-grid .tip")
    for row, column in ((1, 2), (rows - 1, 0)):
        x = (column + 0.8) * box["width"] / columns
        y = (row + 0.8) * box["height"] / rows
        tile.hover(position={"x": x, "y": y})
        query, key = display(trace.next_tokens)[row], display(trace.src_tokens)[column]
        weight = trace.cross[1, 2, row, column]
        expect(tip).to_have_text(f"Layer 2 · Head 3\n{query} → {key}  {weight:.4f}")
    page.locator("h1").hover()
    expect(tip).to_be_hidden()


def test_keys_open_a_head(tab, trace):
    page = tab.open(ONE, first=".st-key-map canvas")
    _expect_large(page, trace, 1, 1)
    head_of(page, 1, 1).focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    with answered(page):
        page.keyboard.press("Enter")
    _expect_large(page, trace, 2, 2)
    expect_link(page, {"checkpoint": "tiny", "layer": "2", "head": "2", "view": "head"})
    expect(head_of(page, 2, 2)).to_be_focused()


def test_a_click_opens_a_head_in_the_same_picture_and_back_opens_the_last_head(visit, trace):
    page = visit.open(ONE, first=".st-key-map canvas")
    picture = page.locator(".st-key-map canvas").element_handle()
    with answered(page):
        head_of(page, 1, 3).click()
    _expect_large(page, trace, 1, 3)
    assert picture.evaluate("picture => picture.isConnected")  # the canvas was kept, not replaced
    page.go_back()
    _expect_large(page, trace, 1, 1)


def test_another_sentence_is_painted_on_the_same_canvas(visit):
    page = visit.open(ONE, first=".grid canvas")
    canvas = page.locator(".grid canvas").element_handle()
    before = canvas.evaluate("canvas => canvas.toDataURL()")
    box = page.get_by_label("Your sentence")
    box.fill("I see.")
    with answered(page):
        box.press("Enter")
    page.wait_for_function(
        "([canvas, before]) => canvas.isConnected && canvas.toDataURL() !== before",
        arg=[canvas, before],
    )


@pytest.mark.parametrize(
    ("kind", "picked", "title"),
    [("cross", *HEAD), ("decoder_self&rows=read", *HEAD), ("cross", *MEAN)],
)
def test_a_chosen_map_is_painted_before_the_server_answers(tab, kind, picked, title):
    tab.page.set_viewport_size(PHONE)  # on a phone the map needs the whole width
    page = tab.open(f"explorer?{GIVEN}&attention={kind}&layer=1&head=1&view=head")
    place_of(page.locator(".st-key-map canvas"))
    before = page.evaluate("seen.fills()")
    with answered(page):
        position = page.evaluate(PLACE)
        tile = page.get_by_role("button", name=picked, exact=True)
        at_once, then = tile.evaluate(f"tile => {{ tile.click(); return [seen.fills(), {PLACE}] }}")
    assert then == position  # nothing moves
    expect(page.get_by_role("heading", name=title)).to_be_visible()
    expect(page.locator('.tile[aria-pressed="true"]')).to_have_attribute("aria-label", picked)
    expect(page.locator(".st-key-map[data-ahead]")).to_have_count(0)
    page.wait_for_function(
        "before => JSON.stringify(seen.fills()) !== JSON.stringify(before)", arg=before
    )
    drawn = page.evaluate("seen.fills()")
    assert len(drawn) > 20
    assert np.abs(np.subtract(before, drawn)).max() > 30  # the two heads look different
    # of 255: a step between two of the 256 colours is at most 5
    assert np.abs(np.subtract(at_once, drawn)).max() <= 5
    # if a choice is undone at once, the old map comes back
    with answered(page):
        both = [locator.element_handle() for locator in (head_of(page, 1, 1), tile)]
        painted = page.evaluate(
            "([a, b]) => { a.click(); const other = seen.fills(); b.click(); return other }",
            both,
        )
    assert np.abs(np.subtract(painted, before)).max() <= 5
    page.wait_for_function(
        "drawn => JSON.stringify(seen.fills()) === JSON.stringify(drawn)"
        " && !document.querySelector('.st-key-map[data-ahead]')",
        arg=drawn,
    )


@pytest.mark.parametrize(
    "visit", [None, pytest.param(PHONE, marks=pytest.mark.slow)], indirect=True
)
def test_the_filter_shows_only_the_maps_that_the_analysis_names(visit, shipped_checkpoint):
    analysis = read_analysis(shipped_checkpoint)
    heads = [
        kinds_of(analysis, "encoder_self", layer, head) for layer in range(4) for head in range(8)
    ]
    wanted = [
        n for n, kinds in enumerate(heads) if "verb_object" in {measured.kind for measured in kinds}
    ]
    assert 0 < len(wanted) < 32
    page = visit.open("explorer?attention=encoder_self&explorer.options=True", first=".chip")
    cells = page.locator(".grid .cell:has([aria-label*=', head '])")
    clear = "cells => cells.flatMap((cell, n) => cell.matches('.faint') ? [] : [n])"
    assert cells.evaluate_all(clear) == [*range(32)]
    chips = cells.evaluate_all("all => all.map((cell) => cell.querySelectorAll('.chip').length)")
    assert chips == [len(kinds) for kinds in heads]
    with answered(page):
        page.get_by_role("radio", name=f"V→O the verb's object ({len(wanted)})").click()
    assert cells.evaluate_all(clear) == wanted
    for index in wanted:
        assert "V→O" in cells.nth(index).inner_text().split()
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]
    # the tip of a chip, and what a screen reader says, tell what was measured
    index = next(n for n, kinds in enumerate(heads) if kinds)
    sentence = in_a_sentence(heads[index][0], translator("en"))
    assert "500 sentences" in sentence
    layer, head = index // 8 + 1, index % 8 + 1
    cells.nth(index).locator(".chip").first.hover()
    tip_text = f"Layer {layer} · Head {head}\n\n{sentence}"
    expect(page.locator(".st-key-grid .tip")).to_contain_text(tip_text)
    tile = head_of(page, layer, head)
    expect(tile).to_have_attribute("aria-description", re.compile(re.escape(sentence)))
    tile.focus()
    expect(page.locator(".st-key-grid .unseen[aria-live]")).to_contain_text(sentence)
    page.locator(".grid + .unseen + details summary").click()
    expect(page.locator(".grid ~ details tbody td").nth(index)).to_contain_text(sentence)


def _expect_two(page: Page, trace: Trace, first: tuple[int, int], second: tuple[int, int]) -> None:
    a, b = (trace.cross[layer - 1, head - 1] for layer, head in (first, second))
    for name, weights in (("a", a), ("b", b), ("difference", a - b)):
        expect_map(page, f"two-{name}", weights)


def test_a_click_or_enter_with_shift_shows_a_second_head_beside_the_first(visit, trace):
    page = visit.open(f"explorer?{GIVEN}&layer=1&head=3&view=head")
    head_of(page, 2, 1).click(modifiers=["Shift"])
    expect(page.get_by_role("heading", name="Cross-attention: two at once")).to_be_visible()
    expect(head_of(page, 1, 3, "A")).to_have_attribute("aria-pressed", "true")
    expect(head_of(page, 2, 1, "B")).to_have_attribute("data-letters", "B")
    _expect_two(page, trace, (1, 3), (2, 1))
    with answered(page):
        head_of(page, 1, 2).click()  # a plain click replaces the first head
    expect(head_of(page, 1, 2, "A")).to_be_visible()
    _expect_two(page, trace, (1, 2), (2, 1))
    expect_link(page, {"panel": "compare", "second_layer": "2", "second_head": "1"})
    page.go_back()
    _expect_two(page, trace, (1, 3), (2, 1))
    page.go_back()
    expect(page.get_by_role("heading", name="Cross-attention · layer 1 · head 3")).to_be_visible()
    page.go_forward()
    _expect_two(page, trace, (1, 3), (2, 1))
    # a difference has one colour above zero and another colour below zero
    weights, fills = page.evaluate("['weights', 'fills'].map((all) => seen[all]('two-difference'))")
    signs = zip(weights, (b - r for r, _, b in fills), strict=True)
    strong = [(weight, blue) for weight, blue in signs if abs(weight) > 0.1]
    assert strong
    assert all((weight > 0) == (blue > 0) for weight, blue in strong)
    # keys choose another second head
    head_of(page, 1, 3, "A").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Shift+Enter")
    expect(head_of(page, 2, 3, "B")).to_be_focused()
    _expect_two(page, trace, (1, 3), (2, 3))


@pytest.mark.parametrize("visit", [PHONE], indirect=True)
def test_a_long_press_shows_a_second_head_and_the_maps_are_below_each_other(visit, trace):
    page = visit.open(f"explorer?{GIVEN}&layer=1&head=3&view=head")
    tile = head_of(page, 2, 1)
    tile.scroll_into_view_if_needed()
    tile.hover()
    page.mouse.down()
    expect(head_of(page, 2, 1, "B")).to_be_visible()  # while the finger is still down
    page.mouse.up()
    expect(head_of(page, 1, 3, "A")).to_be_visible()  # lifting the finger does not count as a click
    _expect_two(page, trace, (1, 3), (2, 1))
    names = ("a", "b", "difference")
    boxes = [place_of(page.locator(f".st-key-two-{name}")) for name in names]
    for above, below in itertools.pairwise(boxes):
        assert above["y"] + above["height"] <= below["y"]
        assert abs(above["x"] - below["x"]) < 2


@pytest.mark.layout
def test_the_names_of_sixteen_heads_and_of_their_mean_are_not_cut(profile, tokenizer, tmp_path):
    folder = tmp_path / "checkpoints" / "sixteen"
    save_checkpoint(folder, tiny_model(tokenizer, d_model=64, n_heads=16), tokenizer, {})
    record_training(folder, languages=["en", "fr"])
    with (
        serve_checkpoints(folder.parent) as address,
        visiting(profile, address, SCREEN) as visitor,
    ):
        page = visitor.open("explorer?sentence=I+see+a+cat.", first=".column-name")
        names = page.locator(".column-name")
        expect(names).to_have_count(17)
        for width in (SCREEN["width"], 900, PHONE["width"]):
            page.set_viewport_size({"width": width, "height": 800})
            place_of(names.last)
            cut = names.evaluate_all(
                "all => all.filter((name) => name.scrollWidth > name.clientWidth"
                " || name.scrollHeight > name.clientHeight)"
                ".map((name) => name.textContent)"
            )
            assert cut == [], width
