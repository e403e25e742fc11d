"""Lines between tokens: as wide as their weight, none below the threshold, no overlaps."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from model.pictures.tokens import display
from model.translation_model import load
from tests.browser.conftest import place_of, take_off_components
from tests.server import ROOT
from ui.text.translator import translator

pytestmark = pytest.mark.browser

TR = translator("en")
SENTENCE = "She gave him a book."
LINK = f"explorer?sentence={SENTENCE.replace(' ', '+')}"
ONE = f"{LINK}&panel=lines&view=head&layer=3&head=2"
GAP = 4  # pixels between the lines of neighbouring tokens


class Ribbon(NamedTuple):
    """One painted line: its colour, and its upper and lower end on each side."""

    colour: str
    left: tuple[float, float]
    right: tuple[float, float]

    @property
    def wide(self) -> float:
        return self.left[1] - self.left[0]


@pytest.fixture(scope="module")
def trace():
    return load(ROOT / "checkpoints" / "en-fr").trace(SENTENCE)


def _painted(page: Page) -> tuple[list[Ribbon], list[tuple[str, float]]]:
    """Return the painted lines, and each text with its position as a share of the width."""
    canvas = page.locator(".stage canvas")
    lines = canvas.evaluate(
        """canvas => ({
            ...seen.painted(canvas),
            width: canvas.clientWidth,
            colour: getComputedStyle(canvas).color,
        })"""
    )
    assert {text["colour"] for text in lines["texts"]} <= {lines["colour"]}
    ribbons = []
    for each in lines["ribbons"]:
        [(_, a), (_, d), (_, e), (_, b)] = each["path"]
        ribbons.append(Ribbon(each["colour"], (a, b), (d, e)))
    return ribbons, [(text["text"], text["x"] / lines["width"]) for text in lines["texts"]]


def _numbers(page: Page) -> list[str]:
    return [text for text, _ in _painted(page)[1]]


def _between(ribbon: Ribbon, row: float) -> tuple[int, int]:
    """Return the row of the token at the left end of a line, and of that at its right end."""
    return int(sum(ribbon.left) / 2 / row), int(sum(ribbon.right) / 2 / row)


def _square(page: Page, head: int):
    return page.get_by_role("button", name=TR("grid.head_number", n=head), exact=True)


@pytest.fixture(scope="module")
def page(shared_visit) -> Page:
    return shared_visit.open(ONE, first=".stage canvas")


def test_each_line_is_as_wide_as_its_weight_and_lines_below_the_threshold_are_hidden(page, trace):
    weights = trace.cross[2, 1]
    row = place_of(page.locator(".queries li").first)["height"]
    for threshold in (0.1, 0.3, 0.0):
        if threshold != 0.1:  # the threshold at the start
            page.locator(".least input").fill(str(threshold))
        expect(page.locator(".least output")).to_have_text(f"{threshold:.2f}")
        ribbons, numbers = _painted(page)
        shown = {_between(r, row): r.wide / (row - GAP) for r in ribbons}
        expected = {cell: w for cell, w in np.ndenumerate(weights) if w >= threshold}
        wide = {cell: w for cell, w in expected.items() if w > 1e-3}
        assert {cell: shown[cell] for cell in wide} == pytest.approx(wide, abs=1e-4)
        assert len(wide) <= len(shown) <= len(expected)
        assert numbers == []
        if threshold:
            count = TR("lines.count", n=len(expected), all=weights.size)
            expect(page.locator(".count")).to_have_text(count)
    # the lines of a query fill its height; at a key, all lines have the same middle
    for q in range(len(weights)):
        ends = sorted(r.left for r in ribbons if _between(r, row)[0] == q)
        assert all(low == pytest.approx(top, abs=1e-3) for (_, low), (top, _) in pairwise(ends))
        assert ends[-1][1] - ends[0][0] == pytest.approx(row - GAP, abs=0.05)
    for ribbon in ribbons:
        assert sum(ribbon.right) / 2 == pytest.approx((_between(ribbon, row)[1] + 0.5) * row)
    # the lines of a second head are below those of the first head
    page.locator(".least input").fill("0.1")
    _square(page, 5).click()
    ribbons, numbers = _painted(page)
    assert [text for text, _ in numbers] == ["2", "5"]
    colours = page.locator(".heads").evaluate(
        "heads => [...heads.children].map((each) => each.style.getPropertyValue('--head'))"
    )
    upper, lower = ([r for r in ribbons if r.colour == colours[head]] for head in (1, 4))
    assert len(upper) + len(lower) == len(ribbons)
    for own, head in ((upper, 1), (lower, 4)):
        assert max(r.wide for r in own) == pytest.approx(
            trace.cross[2, head].max() * (row - GAP) / 2, abs=0.01
        )
    pairs = [(a, b) for a in upper for b in lower if _between(a, row) == _between(b, row)]
    assert pairs
    for first, second in pairs:
        assert first.left[1] <= second.left[0] + 1e-3
        assert first.right[1] <= second.right[0] + 1e-3
    _square(page, 5).click()


def test_a_chosen_token_shows_only_its_own_lines_and_their_weights(page, trace):
    weights = trace.cross[2, 1]
    queries, keys = page.locator(".queries li"), page.locator(".keys li")
    names = display(trace.next_tokens), display(trace.src_tokens)
    live = page.locator(".stage + .unseen")
    row = place_of(queries.first)["height"]

    def expect_held(side: str, position: int) -> None:
        line = weights[position] if side == "query" else weights[:, position]
        best = int(line.argmax())
        query, key = (position, best) if side == "query" else (best, position)
        expect(live).to_have_text(f"{names[0][query]} → {names[1][key]}  {line.max():.2f}")
        ribbons, numbers = _painted(page)
        shown = [n for n, weight in enumerate(line) if weight >= 0.1]
        at = 0 if side == "query" else 1
        assert [_between(r, row)[1 - at] for r in ribbons] == shown
        assert {_between(r, row)[at] for r in ribbons} == ({position} if shown else set())
        assert [text for text, _ in numbers] == [f"{line[n]:.2f}" for n in shown]
        # numbers are beside the tokens of the other side
        assert all((x > 0.5) == (side == "query") for _, x in numbers)
        far = keys if side == "query" else queries
        share = "all => all.map((each) => Number(each.style.getPropertyValue('--share')))"
        assert far.evaluate_all(share) == pytest.approx(line.tolist(), abs=1e-4)

    queries.nth(1).hover()
    expect_held("query", 1)
    best = int(weights[1].argmax())  # at least one line ends there
    keys.nth(best).hover()
    expect_held("key", best)
    page.locator("h1").hover()
    expect(live).to_have_text("")
    assert _numbers(page) == []  # all lines are shown again
    queries.first.focus()
    expect_held("query", 0)
    for key, side, position in (
        ("ArrowDown", "query", 1),
        ("ArrowRight", "key", 1),
        ("ArrowDown", "key", 2),
        ("ArrowUp", "key", 1),
        ("ArrowLeft", "query", 1),
    ):
        page.keyboard.press(key)
        expect((queries if side == "query" else keys).nth(position)).to_be_focused()
        expect_held(side, position)
    queries.nth(1).blur()
    expect(live).to_have_text("")
    assert _numbers(page) == []


def test_squares_switch_heads_and_the_tables_show_the_same_heads(visit, trace):
    page = visit.open(f"{LINK}&panel=lines&layer=3", first=".stage canvas")
    pressed = page.locator('.heads button[aria-pressed="true"]')
    numbers = [*map(str, range(1, 9))]
    every = page.locator(".heads button").last
    expect(pressed).to_have_text(["1"])
    every.click()
    expect(pressed).to_have_text([*numbers, TR("lines.all")])
    page.locator(".stage ~ details summary").click()
    tables = page.locator(".stage ~ details table")
    expect(tables).to_have_count(8)
    _square(page, 2).click()
    expect(pressed).to_have_text(["1", *numbers[2:]])
    captions = [TR("grid.head_number", n=n) for n in (1, *range(3, 9))]
    expect(tables.locator("caption")).to_have_text(captions)
    expect(tables.nth(1).locator("tbody tr").first.locator("td")).to_have_text(
        [f"{weight:.3f}" for weight in trace.cross[2, 2, 0]]
    )
    expect(tables.first.locator("thead bdi").first).to_have_attribute("lang", "en")
    expect(tables.first.locator("tbody bdi").first).to_have_attribute("lang", "fr")
    take_off_components(page)
