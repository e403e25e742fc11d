"""Lines as they are painted: as wide as the weight, none below the threshold, none on another."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

import pytest
from playwright.sync_api import Page, expect

from model.heads.best_aligning_head import best_reading_head
from model.translation_model import load
from tests.browser.conftest import place_of, settle
from tests.server import ROOT
from ui.text.translator import translator

pytestmark = pytest.mark.browser

TEXTS = translator("en").texts
SENTENCE = "She gave him a book."
LINK = f"explorer?sentence={SENTENCE.replace(' ', '+')}"
GAP = 4  # pixels between the lines of two tokens
# Paints on a brush that writes down where each shape begins and ends: [colour, top left, bottom
# left, top right, bottom right], in pixels.
_PAINTED = """canvas => {
    const shapes = [];
    let at = [];
    const paint = {
        beginPath: () => (at = []),
        moveTo: (x, y) => at.push(y),
        lineTo: (x, y) => at.push(y),
        bezierCurveTo: (...points) => at.push(points[5]),
        fill() { shapes.push([this.fillStyle, at[0], at[3], at[1], at[2]]) },
        fillRect() {}, strokeRect() {},
        fillText: (text) => shapes.push(text),
    };
    canvas.paintOn(paint);
    return shapes;
}"""


class Ribbon(NamedTuple):
    """One line as it was painted: its colour, and from where to where on either side."""

    colour: str
    left: tuple[float, float]
    right: tuple[float, float]

    @property
    def wide(self) -> float:
        return self.left[1] - self.left[0]


@pytest.fixture(scope="module")
def folder():
    return ROOT / "checkpoints" / "en-fr"


@pytest.fixture(scope="module")
def t(folder):
    return load(folder)


def _open(visit, link: str) -> Page:
    visit.page.goto(f"{visit.address}/{LINK}&{link}")
    visit.page.locator(".stage canvas").wait_for()
    settle(visit.page)
    return visit.page


def _painted(page: Page) -> tuple[list[Ribbon], list[str]]:
    """The ribbons, and what is written on them."""
    shapes = page.locator(".stage canvas").evaluate(_PAINTED)
    ribbons = [Ribbon(c, (a, b), (d, e)) for c, a, b, d, e in (s for s in shapes if len(s) == 5)]
    return ribbons, [shape for shape in shapes if isinstance(shape, str)]


def _row(page: Page) -> float:
    return place_of(page.locator(".queries li").first)["height"]


def _place(ends: tuple[float, float], row: float) -> int:
    return int(sum(ends) / 2 / row)


def _hide_below(page: Page, share: float) -> None:
    page.locator(".least input").fill(str(share))


def _trace(t, rows="written"):
    return t.trace(SENTENCE).attention("cross", rows=rows).weights


@pytest.mark.parametrize("threshold", [None, 0.3])
def test_each_line_is_as_wide_as_its_weight_and_none_is_below_the_threshold(visit, t, threshold):
    page = _open(visit, "panel=lines&view=head&layer=3&head=2")
    if threshold is not None:
        _hide_below(page, threshold)
    weights = _trace(t)[2, 1]
    least = float(page.locator(".least output").inner_text())
    assert least == (threshold or 0.1)
    ribbons, _ = _painted(page)
    row = _row(page)
    shown = {(_place(r.left, row), _place(r.right, row)): r.wide / (row - GAP) for r in ribbons}
    expected = {
        (q, k): weights[q, k]
        for q in range(weights.shape[0])
        for k in range(weights.shape[1])
        if weights[q, k] >= least
    }
    assert shown == pytest.approx(expected, abs=1e-4)
    assert 0 < len(shown) < weights.size
    count = TEXTS["lines.count"].format(n=len(expected), all=weights.size)
    expect(page.locator(".count")).to_have_text(count)


def test_lines_of_a_token_fill_its_height_and_no_more(visit, t):
    page = _open(visit, "panel=lines&view=head&layer=3&head=2")
    _hide_below(page, 0)
    row = _row(page)
    ribbons, _ = _painted(page)
    for q in range(_trace(t).shape[2]):
        ends = sorted(r.left for r in ribbons if _place(r.left, row) == q)
        for (_, bottom), (top, _) in pairwise(ends):
            assert top == pytest.approx(bottom, abs=1e-3)
        assert ends[-1][1] - ends[0][0] == pytest.approx(row - GAP, abs=0.05)


def test_lines_of_two_heads_lie_beside_each_other(visit, t):
    page = _open(visit, "panel=lines&view=head&layer=3&head=2")
    page.get_by_role("button", name=TEXTS["grid.head_number"].format(n=5), exact=True).click()
    ribbons, numbers = _painted(page)
    assert numbers == ["2", "5"]
    colours = dict.fromkeys(ribbon.colour for ribbon in ribbons)
    row = _row(page)
    upper, lower = ([r for r in ribbons if r.colour == colour] for colour in colours)
    between = {(_place(r.left, row), _place(r.right, row)): r for r in lower}
    both = [(r, between.get((_place(r.left, row), _place(r.right, row)))) for r in upper]
    pairs = [pair for pair in both if pair[1]]
    assert pairs
    for one, other in pairs:
        assert one.left[1] <= other.left[0] + 1e-3
        assert one.right[1] <= other.right[0] + 1e-3
    heads = _trace(t)[2]
    assert max(r.wide for r in upper) == pytest.approx(heads[1].max() * (row - GAP) / 2, abs=0.01)
    assert max(r.wide for r in lower) == pytest.approx(heads[4].max() * (row - GAP) / 2, abs=0.01)


def test_lines_begin_with_the_head_that_aligns_best_and_name_it(visit, folder):
    layer, head = (n + 1 for n in best_reading_head(folder))
    visit.page.goto(f"{visit.address}/{LINK}&layer=4")
    visit.page.locator(".vega-embed svg").first.wait_for()
    panel = visit.page.locator(".st-key-choice-panel")
    panel.get_by_role("radio", name=TEXTS["panel.lines"]).click()
    visit.page.locator(".stage canvas").wait_for()
    name = TEXTS["map.title_head"].format(attention="Cross", layer=layer, head=head)
    expect(visit.page.get_by_role("heading", name=name)).to_be_visible()
    said = TEXTS["lines.best"].format(layer=layer, head=head).replace("*", "")
    expect(visit.page.get_by_text(said)).to_be_visible()
    visit.page.wait_for_url(re.compile(f"head={head}.*layer={layer}|layer={layer}.*head={head}"))
    pressed = visit.page.locator('.heads button[aria-pressed="true"]')
    expect(pressed).to_have_text([str(head)])
    [_, numbers] = _painted(visit.page)
    assert numbers == [str(head)]


def test_a_link_to_all_heads_shows_all_and_one_button_does(visit):
    page = _open(visit, "panel=lines&layer=3")
    pressed = page.locator('.heads button[aria-pressed="true"]')
    every = [*map(str, range(1, 9)), TEXTS["lines.all"]]
    expect(pressed).to_have_text(every)
    page.locator(".heads button").last.click()
    expect(pressed).to_have_text(["1"])
    page.locator(".heads button").last.click()
    expect(pressed).to_have_text(every)


def test_a_token_that_is_pointed_at_has_the_weights_on_its_lines(visit, t):
    page = _open(visit, "panel=lines&view=head&layer=3&head=2")
    page.locator(".queries li").nth(1).hover()
    _, numbers = _painted(page)
    row = _trace(t)[2, 1, 1]
    assert numbers == [f"{weight:.2f}" for weight in row if weight >= 0.1]
