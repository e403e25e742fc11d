"""The timeline in a browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


@pytest.fixture
def address(family_address: str) -> str:
    """Where a model with twelve snapshots is served."""
    return family_address


@pytest.fixture
def timeline(visit):
    """The page, when all of it stands."""
    visit.page.goto(f"{visit.address}/learning?sentence=I+see.")
    visit.page.locator(".grid canvas").wait_for(state="attached")
    # No name is one token of this small vocabulary: position is what can be drawn.
    visit.page.get_by_role("radio", name="Position").click()
    expect(visit.page.locator(".vega-embed")).to_have_count(2)
    return visit.page


def _origin(step: int) -> str:
    return f"written by the model of step {step}, greedily"


def test_another_step_has_another_map_and_says_whose_translation_it_is(timeline):
    timeline.get_by_role("slider", name="Step of the training").focus()
    cells = timeline.locator(".st-key-map .mark-rect path")
    fills = "cells => cells.map(cell => cell.getAttribute('fill')).join()"
    for key, step in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1)):
        before = cells.evaluate_all(fills)
        timeline.keyboard.press(key)
        expect(timeline.locator(".translation .origin")).to_have_text(_origin(step))
        timeline.wait_for_function(
            f"before => ({fills})([...document.querySelectorAll("
            "'.st-key-map .mark-rect path')]) !== before",
            arg=before,
        )


def test_a_click_on_a_small_map_opens_that_head_and_the_slider_stays(timeline):
    timeline.get_by_role("slider", name="Step of the training").focus()
    timeline.keyboard.press("ArrowRight")
    expect(timeline.locator(".translation .origin")).to_have_text(_origin(1))
    timeline.get_by_role("button", name="Layer 2, head 3", exact=True).click()
    heading = timeline.get_by_role("heading", name="Cross attention · layer 2 · head 3")
    expect(heading).to_be_visible()
    expect(timeline.locator(".vega-embed")).to_have_count(2)
    expect(timeline.locator(".translation .origin")).to_have_text(_origin(1))
