"""The start page lives: words are written one after another, and ribbons end where they look."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote
from xml.etree import ElementTree

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from model import Trace, load
from model.heads.best_aligning_head import best_reading_head
from model.maps.writing import Writing, writing
from model.pictures.tokens import display, display_subword
from tests.browser.conftest import Visit, new_profile, settle
from tests.browser.taken import SVG, check, take
from tests.server import ROOT
from ui.text.examples import DEFAULT_SENTENCE
from ui.text.translator import translator

pytestmark = pytest.mark.browser

TR = translator("en")
FOLDER = ROOT / "checkpoints" / "en-fr"
PACE = 900  # milliseconds of a token at speed 1
THICK = 22  # pixels of a ribbon of weight 1
WRITTEN = ".targets li:not(.unwritten)"
# What the brush is told: where each ribbon begins and ends, how wide and how strong it is.
_RIBBONS = """canvas => {
    const told = [];
    let from, to;
    canvas.paintOn({
        beginPath() {},
        moveTo(...place) { from = place; },
        bezierCurveTo(...places) { to = places.slice(-2); },
        stroke() { told.push([...from, ...to, this.lineWidth, this.globalAlpha]); },
    });
    return told;
}"""
_BOX = "item => [item.offsetLeft, item.offsetTop, item.offsetWidth, item.offsetHeight]"


@pytest.fixture(scope="module")
def trace() -> Trace:
    return load(FOLDER).trace(DEFAULT_SENTENCE)


@pytest.fixture(scope="module")
def seen(trace: Trace) -> Writing:
    return writing(trace, load(FOLDER).tokenizer, reading_head=best_reading_head(FOLDER))


def _still(visit, path: str = "") -> Page:
    """The start page with all words written and nothing moving."""
    page = visit.open(path)
    _scrub(page, "End")
    return page


def _scrub(page: Page, key: str) -> None:
    page.get_by_role("slider", name=TR("writing.position")).press(key)


def _button(page: Page, name: str):
    return page.locator(".player").get_by_role("button", name=name, exact=True)


def _ribbons(page: Page) -> np.ndarray:
    """(ribbons, 6): x and y at the target, x and y at the source, width, opacity."""
    return np.array(page.locator(".stage canvas").evaluate(_RIBBONS)).reshape(-1, 6)


def _boxes(page: Page, side: str) -> np.ndarray:
    items = page.locator(f".{side} li").all()
    return np.array([item.evaluate(_BOX) for item in items])


def _ends(page: Page) -> set[tuple[int, int]]:
    """Target and source that each ribbon joins, by the places of both ends."""

    def nearest(boxes: np.ndarray, x: float, y: float) -> int:
        inside = (np.abs(boxes[:, 0] + boxes[:, 2] / 2 - x) <= THICK / 2 + 1) & (
            (np.abs(boxes[:, 1] - y) < 1) | (np.abs(boxes[:, 1] + boxes[:, 3] - y) < 1)
        )
        [place] = np.flatnonzero(inside)
        return int(place)

    targets, sources = _boxes(page, "targets"), _boxes(page, "sources")
    return {(nearest(targets, *r[:2]), nearest(sources, *r[2:4])) for r in _ribbons(page)}


def test_words_are_written_one_after_another_by_themselves(visit, trace, tmp_path: Path):
    page = visit.open()
    words = display(trace.next_tokens)
    pictures = []
    for n in range(1, 11):
        expect(page.locator(WRITTEN).nth(n - 1)).to_be_visible()
        shown = page.locator(WRITTEN).all_text_contents()
        assert shown == list(words[: len(shown)])
        file = tmp_path / f"moment {n}.png"
        pictures.append(page.locator(".stage").screenshot(path=file))
    assert len(set(pictures)) == 10
    expect(page.locator(WRITTEN)).to_have_count(len(words))
    expect(_button(page, TR("writing.play"))).to_be_visible()  # once, not again and again


def test_each_ribbon_is_a_weight_and_joins_its_two_words(visit, trace, seen):
    page = _still(visit)
    expected = {
        (t, s): THICK * weight
        for t, row in enumerate(seen.weights)
        for s, weight in enumerate(row)
        if weight >= 0.01
    }
    assert _ends(page) == set(expected)
    np.testing.assert_allclose(_ribbons(page)[:, 4], list(expected.values()), rtol=1e-5)
    place = best_reading_head(FOLDER)
    np.testing.assert_array_equal(seen.weights, trace.cross[place][1:])


def test_the_ladder_is_what_the_model_could_have_written(visit, seen):
    page = visit.open()
    _scrub(page, "Home")
    expect(page.locator(".ladder")).to_be_hidden()
    for rungs in seen.rivals[:4]:
        _scrub(page, "ArrowRight")
        shown = page.locator(".ladder li")
        assert shown.locator("bdi").all_text_contents() == [
            display_subword(each.subword) for each in rungs
        ]
        numbers = [f"{each.probability:.3f}" for each in rungs]
        assert shown.locator("small").all_text_contents() == numbers
        chosen = page.locator(".ladder [aria-current]")
        expect(chosen).to_have_count(1)
        last = page.locator(WRITTEN).last.text_content()
        expect(chosen.locator("bdi")).to_have_text(last)


def test_pause_and_scrub(visit, trace):
    page = visit.open()
    _button(page, TR("writing.pause")).click()
    n = page.locator(WRITTEN).count()
    page.wait_for_timeout(2.5 * PACE)
    assert page.locator(WRITTEN).count() == n
    slider = page.get_by_role("slider", name=TR("writing.position"))
    _scrub(page, "End")
    expect(page.locator(WRITTEN)).to_have_count(len(trace.next_tokens))
    _scrub(page, "Home")
    expect(page.locator(WRITTEN)).to_have_count(0)
    assert not len(_ribbons(page))
    slider.fill("3")
    expect(page.locator(WRITTEN)).to_have_count(3)
    word = display(trace.next_tokens)[2]
    told = TR("writing.told", n=3, all=len(trace.next_tokens), token=word)
    expect(slider).to_have_attribute("aria-valuetext", told)
    _button(page, TR("writing.play")).click()
    expect(page.locator(WRITTEN).nth(4)).to_be_visible()


@pytest.mark.parametrize(
    ("speed", "written"),
    [*(pytest.param(*way, marks=pytest.mark.slow) for way in (("0.5×", 2), ("1×", 3))), ("2×", 5)],
)
def test_speed(browser, address, speed, written):
    context = new_profile(browser)  # a clock is that of all pages of a profile
    page = Visit(context.new_page(), address).open()
    _scrub(page, "Home")
    page.clock.install(time=0)
    page.clock.pause_at(60)
    _button(page, speed).click()
    expect(_button(page, speed)).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".speeds [aria-pressed=true]")).to_have_count(1)
    _button(page, TR("writing.play")).click()
    page.clock.run_for(2.3 * PACE)
    expect(page.locator(WRITTEN)).to_have_count(written)
    context.close()


def test_pointing_at_a_word_freezes_its_ribbons(visit, seen):
    page = visit.open()
    expect(page.locator(WRITTEN).nth(2)).to_be_visible()
    page.locator(".targets li").nth(1).hover()
    n = page.locator(WRITTEN).count()
    page.wait_for_timeout(2.5 * PACE)
    assert page.locator(WRITTEN).count() == n  # it waits
    assert _ends(page) == {(1, int(s)) for s in np.flatnonzero(seen.weights[1] >= 0.01)}
    rungs = [display_subword(each.subword) for each in seen.rivals[1]]
    assert page.locator(".ladder bdi").all_text_contents() == rungs
    page.locator("h1").hover()
    expect(page.locator(WRITTEN).nth(n + 1)).to_be_visible()  # and goes on


def test_pointing_at_a_source_word_shows_who_looks_at_it(visit, trace, seen):
    page = _still(visit)
    s = display(trace.src_tokens).index("he")
    page.locator(".sources li").nth(s).hover()
    assert _ends(page) == {(int(t), s) for t in np.flatnonzero(seen.weights[:, s] >= 0.01)}
    best = int(seen.weights[:, s].argmax())
    said = f"{display(trace.next_tokens)[best]} → he {seen.weights[best, s]:.2f}"
    expect(page.locator(".root:has(.stage) > .unseen")).to_have_text(said)
    expect(page.locator(".ladder")).to_be_hidden()


def test_keys_go_from_word_to_word_and_over_to_the_other_sentence(visit):
    page = _still(visit)
    page.locator(".speeds button").last.focus()
    page.keyboard.press("Tab")
    sources, targets = page.locator(".sources li"), page.locator(".targets li")
    expect(sources.first).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(sources.nth(1)).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(targets.nth(1)).to_be_focused()
    assert {t for t, _ in _ends(page)} == {1}
    page.keyboard.press("ArrowLeft")
    expect(targets.first).to_be_focused()
    expect(page.locator(".ladder [aria-current] bdi")).to_have_text("Elle")
    page.keyboard.press("Escape")
    expect(page.locator(".ladder")).to_be_hidden()
    targets.last.focus()
    assert not len(_ribbons(page))
    expect(page.locator(".root:has(.stage) > .unseen")).to_contain_text(TR("writing.unread"))


def test_who_wants_no_motion_gets_a_still_picture_with_the_same_words(visit, trace):
    visit.page.emulate_media(reduced_motion="reduce")
    page = visit.open()
    expect(page.locator(WRITTEN)).to_have_count(len(trace.next_tokens))
    expect(page.locator(".play")).to_be_hidden()
    before = page.locator(".stage").screenshot()
    page.wait_for_timeout(PACE)
    assert page.locator(".stage").screenshot() == before
    page.locator(".targets li").nth(2).hover()
    assert {t for t, _ in _ends(page)} == {2}
    expect(page.locator(".ladder [aria-current]")).to_be_visible()


def test_the_map_below_has_the_same_numbers_and_its_row_is_lit_in_step(visit, seen):
    page = visit.open()
    _scrub(page, "Home")
    page.get_by_text(TR("writing.map")).click()
    rows = page.locator("table.map tbody tr")
    shown = [row.locator("td").all_text_contents() for row in rows.all()]
    assert shown == [[f"{weight:.2f}" for weight in row] for row in seen.weights]
    expect(page.locator("[data-lit]")).to_have_count(0)
    for n in range(3):
        _scrub(page, "ArrowRight")
        expect(rows.nth(n)).to_have_attribute("data-lit", "")
        expect(page.locator("[data-lit]")).to_have_count(1)


def test_it_plays_without_asking_the_server(visit):
    asked = []
    visit.page.on(
        "websocket", lambda socket: socket.on("framesent", lambda frame: asked.append(frame))
    )
    page = visit.open()
    settle(page)
    before = len(asked)
    assert before  # it would have been seen
    n = page.locator(WRITTEN).count()
    expect(page.locator(WRITTEN).nth(n + 2)).to_be_visible()
    _scrub(page, "Home")
    page.locator(".sources li").nth(2).hover()
    page.wait_for_timeout(500)
    assert len(asked) == before


def test_another_sentence_is_written_anew_and_another_language_goes_on(visit):
    page = _still(visit)
    n = page.locator(WRITTEN).count()
    page.locator(".st-key-tools").get_by_role("radio", name="中文").click()
    expect(page.locator(".play")).to_have_text(translator("zh")("writing.play"))
    assert page.locator(WRITTEN).count() == n
    page.locator(".st-key-chips button").first.click()
    page.locator(".sources li", has_text="red").wait_for()
    expect(page.locator(".play")).to_have_text(translator("zh")("writing.pause"))
    expect(page.locator(".ladder")).to_be_visible()


@pytest.mark.parametrize(
    "sentence", ["I said that " * 15 + "it is late.", "שלום a\u0301\x01\u202e", "a a a a"]
)
@pytest.mark.parametrize("visit", [{"width": 390, "height": 844}], indirect=True)
def test_ribbons_end_at_their_words_however_many_and_odd_they_are(visit, sentence):
    t = load(FOLDER)
    place = best_reading_head(FOLDER)
    weights = writing(t.trace(sentence), t.tokenizer, reading_head=place).weights
    page = _still(visit, f"?sentence={quote(sentence)}")
    targets, sources = _boxes(page, "targets"), _boxes(page, "sources")
    expected = []
    for (x, y, width, _), row in zip(targets, weights, strict=False):
        for s in np.flatnonzero(row >= 0.01):
            across = row[:s].sum() + row[s] / 2 - 0.5  # side by side
            left, top, long, high = sources[s]
            end = (left + long / 2, top + high)
            expected.append((x + width / 2 + THICK * across, y, *end, THICK * row[s]))
    assert len(targets) == len(weights) + 1
    np.testing.assert_allclose(_ribbons(page)[:, :5], expected, atol=0.01)


def test_the_picture_that_is_taken_away_has_words_and_ribbons_but_no_buttons(visit, profile):
    page = _still(visit)
    figure = page.locator(".st-key-figure-ribbons")
    page.wait_for_function("document.documentElement.hasAttribute('data-takes')")
    svg = take(page, figure, "svg")
    blank = profile.new_page()
    check(svg, figure, blank)
    blank.close()
    drawing = ElementTree.fromstring(svg)
    texts = [text.text for text in drawing.iter(f"{SVG}text")]
    assert {"donna", "gave"} <= set(texts)
    assert TR("writing.play") not in " ".join(texts)
    assert len(list(drawing.iter(f"{SVG}path"))) == len(_ribbons(page))
