"""Experiments in a browser: a guess and its answer, a word and its rival, a hidden row."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from model import load
from model.heads.ablation import ablation_effect, ablations_of
from model.heads.importance import all_heads
from tests.browser.conftest import answered, place_of, settle
from tests.browser.taken import take

pytestmark = pytest.mark.browser

SENTENCE = "I see a cat."
LINK = f"checkpoint=tiny&sentence={SENTENCE.replace(' ', '+')}"
CELL = 44  # pixels


@pytest.fixture(scope="module")
def t(tiny_checkpoint):
    return load(tiny_checkpoint)


def _grid(page: Page, title: str) -> Locator:
    return page.get_by_role("application", name=title)


def _click(grid: Locator, row: int, column: int, n_columns: int) -> None:
    """A cell, counted from the right: its labels end there."""
    x = place_of(grid)["width"] - 2 - (n_columns - column - 0.5) * CELL
    with answered(grid.page):
        grid.click(position={"x": x, "y": 22 + (row + 0.5) * CELL})


def _numbers(figure: Locator, nth: int = 0) -> np.ndarray:
    """What stands in a picture's table, as the browser has it."""
    figure.get_by_text("As a table").nth(nth).click()
    rows = figure.locator("tbody").nth(nth).locator("tr")
    rows.first.wait_for()  # they are written when they are asked for
    cells = [row.locator("td").all_text_contents() for row in rows.all()]
    return np.array([[float(cell.replace("−", "-")) for cell in row] for row in cells])


def test_a_guess_then_the_answer_then_one_head(visit, t):
    page = visit.open(f"experiments?{LINK}")
    asked = _grid(page, "Not measured yet")
    expect(page.get_by_role("button", name="Reveal")).to_be_disabled()
    _click(asked, 5, 2, 3)  # rows: encoder 1, 2, decoder 1, 2, cross 1, 2
    expect(page.get_by_text("Your guess: Cross 2, head 3")).to_be_visible()
    expect(page).to_have_url(re.compile(r"experiments\.guess=cross-2-3"))
    question = page.url
    page.get_by_role("button", name="Reveal").click()
    page.locator(".st-key-figure-each_head .figure-bar").wait_for()
    settle(page)
    trace = t.trace(SENTENCE)
    measured = np.array(
        [
            (ablation_effect(t, trace, ablations_of(t.config, [head], "zero")).log_probs
             - trace.log_probs).sum()
            for head in all_heads(t.config)
        ]
    )  # fmt: skip
    shown = _numbers(page.locator(".st-key-figure-each_head"))
    np.testing.assert_allclose(shown.ravel(), measured, rtol=1e-3, atol=1e-4)
    rank = 1 + (measured < measured[-1]).sum()
    expect(page.get_by_text(f"Your guess is number {rank} of 18")).to_be_visible()
    # what a teacher sends shows the question, whatever was revealed here
    page.goto(question)
    expect(page.get_by_text("Your guess: Cross 2, head 3")).to_be_visible()
    expect(_grid(page, "Not measured yet")).to_be_visible()
    expect(page.locator(".st-key-figure-each_head")).to_have_count(0)
    page.get_by_role("button", name="Reveal").click()
    answer = _grid(page, "Δ log-probability of the translation without each head")
    answer.wait_for()
    settle(page)
    _click(answer, 2, 0, 3)
    expect(page.get_by_text("ablated, 1 in all", exact=False)).to_be_visible()
    expect(page.get_by_text("Decoder masked self 1.1").first).to_be_visible()
    expect(page.get_by_role("heading", level=2).first).to_have_text("Switch heads off yourself")


def test_a_row_is_hidden_from_the_class_and_revealed(visit, t):
    page = visit.open(f"explorer?{LINK}&view=head&layer=2&head=3&map.hidden_row=2")
    weights = t.trace(SENTENCE).cross[1, 2]
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
    assert rows[1][1:] == pytest.approx(weights[1].tolist(), abs=1e-6)
    expect(page).to_have_url(re.compile(r"map\.revealed=1"))
