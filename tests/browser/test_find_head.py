"""Finding a head, as a visitor does: in the explorer's grid by signs and filter."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from model.head_kinds.kinds import HeadKind, kinds_of
from model.heads.analysis import read_analysis
from tests.browser.conftest import settle
from ui.frame.head_kinds import says
from ui.text.translator import translator

pytestmark = pytest.mark.browser

PHONE = {"width": 390, "height": 844}
ENCODER = "explorer?attention=encoder_self"
_CLEAR = """cells => cells.map((cell, n) => cell.classList.contains("faint") ? -1 : n)
    .filter((n) => n >= 0)"""


def _clear(page: Page) -> list[int]:
    """Places of the maps that are not dimmed, layer by layer."""
    return page.locator(".grid .cell").evaluate_all(_CLEAR)


def _called(folder, kind: HeadKind) -> list[int]:
    analysis = read_analysis(folder)
    assert analysis is not None
    return [
        8 * layer + head
        for layer in range(4)
        for head in range(8)
        if kind in {one.kind for one in kinds_of(analysis, "encoder_self", layer, head)}
    ]


@pytest.mark.parametrize("visit", [None, PHONE], indirect=True, ids=["wide", "phone"])
def test_the_filter_leaves_the_maps_that_the_analysis_names(visit, shipped_checkpoint):
    page = visit.open(ENCODER)
    page.locator(".chip").first.wait_for()
    assert _clear(page) == [*range(32)]
    wanted = _called(shipped_checkpoint, "verb_object")
    assert 0 < len(wanted) < 32
    page.get_by_role("radio", name=f"V→O the verb's object ({len(wanted)})").click()
    expect(page.get_by_text("from the verb the largest weight falls on the object")).to_be_visible()
    settle(page)
    expect(page.locator(".grid .cell.faint")).to_have_count(32 - len(wanted))
    assert _clear(page) == wanted
    expect(page).to_have_url(re.compile(r"find\.kind=verb_object"))
    heads = page.locator(".grid .cell")
    for place in wanted:
        assert "V→O" in heads.nth(place).inner_text().split()
    chip = page.locator(".chip").first
    assert chip.evaluate("chip => parseFloat(getComputedStyle(chip).fontSize)") >= 11
    page.reload()
    expect(page.locator(".grid .cell.faint")).to_have_count(32 - len(wanted))
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]


def test_pointing_at_a_sign_tells_what_was_measured(visit, shipped_checkpoint):
    analysis = read_analysis(shipped_checkpoint)
    first, *_ = kinds_of(analysis, "encoder_self", 0, 1)
    sentence = says(first, translator("en"))
    assert "500 sentences" in sentence
    page = visit.open(f"{ENCODER}&layer=1&head=1&view=head")
    page.locator(".cell").nth(1).locator(".chip").hover()
    expect(page.locator(".tip")).to_have_text(f"Layer 1 · Head 2\n\n{sentence}")
    page.get_by_role("button", name="Layer 1, head 1", exact=True).focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".unseen[aria-live]")).to_contain_text(sentence)


def test_where_nothing_was_measured_there_is_no_sign(visit):
    page = visit.open(f"{ENCODER}&checkpoint=en-fr-small")
    expect(page.get_by_text("have not been measured yet")).to_be_visible()
    assert page.locator(".grid .tile").count() == 12
    assert page.locator(".chip").count() == 0
