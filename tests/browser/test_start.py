"""The start page lives: words are written one after another, and ribbons end where they look."""

from __future__ import annotations

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
    page = visit.open(path, first=".player")
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


def test_words_are_written_one_after_another_by_themselves_without_a_question(visit, trace):
    page = visit.open(first=".player")
    asked = page.evaluate("runs.asked")
    words = display(trace.next_tokens)
    expect(_button(page, "1×")).to_have_attribute("aria-pressed", "true")
    _button(page, "2×").click()
    seen = page.locator(".targets").evaluate(
        """list => new Promise((done) => {
            const seen = [];
            const look = () => {
                const shown = [...list.children].filter((item) => !item.matches(".unwritten"));
                if (shown.length !== seen.at(-1)) seen.push(shown.length);
                if (shown.length === list.children.length) done(seen);
                else requestAnimationFrame(look);
            };
            look();
        })"""
    )
    assert seen == [*range(seen[0], len(words) + 1)]
    assert seen[0] < len(words) / 2
    expect(page.locator(WRITTEN)).to_have_text(list(words))
    expect(_button(page, TR("writing.play"))).to_be_visible()  # once, not again and again
    assert page.evaluate("runs.asked") == asked


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
    page = visit.open(first=".player")
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


def test_time_goes_at_its_speed_waits_when_told_and_goes_on(browser, address, trace, seen):
    context = new_profile(browser)  # a clock is that of all pages of a profile
    page = Visit(context.new_page(), address).open(first=".player")
    slider = page.get_by_role("slider", name=TR("writing.position"))
    _scrub(page, "Home")
    page.clock.install(time=0)
    page.clock.pause_at(60)
    written = page.locator(WRITTEN)
    for speed, n in (("0.5×", 2), ("1×", 3), ("2×", 5)):
        _scrub(page, "Home")
        expect(written).to_have_count(0)
        assert not len(_ribbons(page))
        _button(page, speed).click()
        expect(page.locator(".speeds [aria-pressed=true]")).to_have_text([speed])
        _button(page, TR("writing.play")).click()
        page.clock.run_for(2.3 * PACE)
        expect(written).to_have_count(n)
    _button(page, TR("writing.pause")).click()
    page.clock.run_for(3 * PACE)
    expect(written).to_have_count(5)
    _scrub(page, "End")
    expect(written).to_have_count(len(trace.next_tokens))
    slider.fill("3")
    expect(written).to_have_count(3)
    told = TR("writing.told", n=3, all=len(trace.next_tokens), token=display(trace.next_tokens)[2])
    expect(slider).to_have_attribute("aria-valuetext", told)
    # who points at a word freezes its ribbons
    _button(page, TR("writing.play")).click()
    page.locator(".targets li").nth(1).hover()
    page.clock.run_for(3 * PACE)
    expect(written).to_have_count(3)
    assert _ends(page) == {(1, int(s)) for s in np.flatnonzero(seen.weights[1] >= 0.01)}
    rungs = [display_subword(each.subword) for each in seen.rivals[1]]
    expect(page.locator(".ladder bdi")).to_have_text(rungs)
    page.locator("h1").hover()
    page.clock.run_for(PACE)
    expect(written).to_have_count(5)  # at speed 2
    context.close()


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
    page = visit.open(first=WRITTEN)
    expect(page.locator(WRITTEN)).to_have_count(len(trace.next_tokens))
    expect(page.locator(".play")).to_be_hidden()
    page.locator(".targets li").nth(2).hover()
    assert {t for t, _ in _ends(page)} == {2}
    expect(page.locator(".ladder [aria-current]")).to_be_visible()


def test_the_map_below_has_the_same_numbers_and_its_row_is_lit_in_step(visit, seen):
    page = visit.open(first=".player")
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
    "sentence", ["I said that " * 15 + "it is late.", "שלום a\u0301\x01\u202e a a"]
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
