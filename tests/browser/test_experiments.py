"""Experiments in a browser: a guess and its answer, heads switched off, a hidden row."""

from __future__ import annotations

import json
from urllib.parse import quote

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from model import load
from model.heads.ablation import ablation_effect, ablations_of
from model.heads.importance import all_heads
from tests.browser.conftest import answered, expect_link, place_of
from tests.browser.taken import take
from tests.browser.views import GIVEN, SENTENCE, TARGET

pytestmark = pytest.mark.browser

CELL = 44  # pixels


@pytest.fixture(scope="module")
def t(tiny_checkpoint):
    return load(tiny_checkpoint)


def _grid(page: Page, title: str) -> Locator:
    return page.get_by_role("application", name=title)


def _click(grid: Locator, row: int, column: int) -> None:
    """A cell, counted from the right: its labels end there."""
    x = place_of(grid)["width"] - 2 - (3 - column - 0.5) * CELL
    with answered(grid.page):
        grid.click(position={"x": x, "y": 22 + (row + 0.5) * CELL})


def test_a_guess_then_the_answer_then_one_head(visit, t):
    page = visit.open(f"experiments?checkpoint=tiny&sentence={quote(SENTENCE)}")
    asked = _grid(page, "Not measured yet")
    expect(page.get_by_role("button", name="Reveal")).to_be_disabled()
    _click(asked, 5, 2)  # rows: encoder 1, 2, decoder 1, 2, cross 1, 2
    expect(page.get_by_text("Your guess: Cross 2, head 3")).to_be_visible()
    expect_link(page, {"experiments.guess": "cross-2-3"})
    with answered(page):
        page.get_by_role("button", name="Reveal").click()
    figure = page.locator(".st-key-figure-each_head")
    figure.get_by_text("As a table").click()
    cells = figure.locator("tbody td")
    expect(cells).to_have_count(18)
    shown = [float(cell.replace("−", "-")) for cell in cells.all_text_contents()]
    trace = t.trace(SENTENCE)
    measured = np.array(
        [
            (ablation_effect(t, trace, ablations_of(t.config, [head], "zero")).log_probs
             - trace.log_probs).sum()
            for head in all_heads(t.config)
        ]
    )  # fmt: skip
    np.testing.assert_allclose(shown, measured, rtol=1e-3, atol=1e-4)
    rank = 1 + (measured < measured[-1]).sum()
    expect(page.get_by_text(f"Your guess is number {rank} of 18")).to_be_visible()
    answer = _grid(page, "Δ log-probability of the translation without each head")
    _click(answer, 2, 0)
    expect(page.get_by_text("ablated, 1 in all", exact=False).first).to_be_visible()
    expect_link(page, {"ablated": "d1.1"})
    grid = page.get_by_role("application", name="Heads", exact=False).first
    with answered(page):
        grid.click(position={"x": place_of(grid)["width"] - 20, "y": 120})
    expect(page.get_by_text("ablated, 2 in all", exact=False).first).to_be_visible()


def test_a_row_is_hidden_from_the_class_and_revealed(visit, t):
    page = visit.open(f"explorer?{GIVEN}&view=head&layer=2&head=3&map.hidden_row=2")
    weights = t.trace(SENTENCE, target=TARGET).cross[1, 2]
    n, keys = weights.shape
    cells = page.locator(".st-key-map .mark-rect.role-mark path")
    expect(cells).to_have_count((n - 1) * keys + 1)  # one cover
    figure = page.locator(".st-key-figure-map")
    rows = json.loads(take(page, figure, "json"))["tables"]["weights"]["rows"]
    assert [row[1:] for row in rows if None in row] == [[None] * keys]
    assert rows[1][1] is None
    tile = page.locator(".st-key-figure-grid button[aria-pressed=true]")
    box = place_of(tile)
    tile.hover(position={"x": box["width"] / 2, "y": 1.5 * box["height"] / n})
    expect(page.locator(".st-key-figure-grid .tip")).to_contain_text("?")
    with answered(page):
        page.get_by_role("button", name="Reveal").click()
    expect(cells).to_have_count((n + 1) * keys)  # and a frame for each cell of the row
    rows = json.loads(take(page, figure, "json"))["tables"]["weights"]["rows"]
    np.testing.assert_allclose(rows[1][1:], weights[1], atol=1e-6)
    expect_link(page, {"map.revealed": "1"})
