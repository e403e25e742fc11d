"""The start page: words appear one after the other, and each ribbon ends at its word."""

import re
from urllib.parse import quote
from xml.etree import ElementTree

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from docs.pictures import RIBBONS
from model import Trace, load
from model.heads.analysis_file import read_analysis
from model.heads.kinds import best_awi_head
from model.pictures.tokens import display, display_subword
from model.trace.next_tokens import DecodingSteps, decoding_steps
from tests.browser.conftest import (
    PHONE,
    SCREEN,
    Visit,
    answered,
    expect_link,
    new_profile,
    place_of,
)
from tests.browser.taken import SVG, take
from tests.server import ROOT
from ui.text.examples import DEFAULT_SENTENCE
from ui.text.translator import translator

pytestmark = pytest.mark.browser

TR = translator("en")
FOLDER = ROOT / "checkpoints" / "en-fr"
ALIGNER = best_awi_head(read_analysis(FOLDER))
PACE = 900  # milliseconds per token at speed 1
THICK = 22  # width in pixels of a ribbon of weight 1
RIVALS = "table.map + table tbody tr"
WRITTEN = ".targets li:not(.unwritten)"
SENTENCE = 'textarea[aria-label="Your sentence"]'
_BOX = "item => [item.offsetLeft, item.offsetTop, item.offsetWidth, item.offsetHeight]"


@pytest.fixture(scope="module")
def trace() -> Trace:
    return load(FOLDER).trace(DEFAULT_SENTENCE)


@pytest.fixture(scope="module")
def seen(trace: Trace) -> DecodingSteps:
    return decoding_steps(trace, load(FOLDER).tokenizer, reading_head=ALIGNER)


@pytest.fixture(scope="module")
def _start(shared_visit: Visit) -> Page:
    return shared_visit.open(first=".player")


@pytest.fixture
def page(_start: Page) -> Page:
    """Return the start page with all words written and nothing moving."""
    _scrub(_start, "End")
    return _start


def _scrub(page: Page, key: str) -> None:
    page.get_by_role("slider", name=TR("writing.position")).press(key)


def _button(page: Page, name: str):
    return page.locator(".player").get_by_role("button", name=name, exact=True)


def _ribbons(page: Page) -> np.ndarray:
    """Return (ribbons, 6): x and y at the target, x and y at the source, width, opacity."""
    ribbons = page.locator(".stage canvas").evaluate("canvas => seen.painted(canvas).ribbons")
    rows = [
        [*each["path"][0], *each["path"][1], each["width"], each["opacity"]] for each in ribbons
    ]
    return np.array(rows).reshape(-1, 6)


def _boxes(page: Page, side: str) -> np.ndarray:
    items = page.locator(f".{side} li").all()
    return np.array([item.evaluate(_BOX) for item in items])


def _ends(page: Page) -> set[tuple[int, int]]:
    """Return the positions of the target and source tokens that each ribbon joins."""

    def nearest(boxes: np.ndarray, x: float, y: float) -> int:
        inside = (np.abs(boxes[:, 0] + boxes[:, 2] / 2 - x) <= THICK / 2 + 1) & (
            (np.abs(boxes[:, 1] - y) < 1) | (np.abs(boxes[:, 1] + boxes[:, 3] - y) < 1)
        )
        [position] = np.flatnonzero(inside)
        return int(position)

    targets, sources = _boxes(page, "targets"), _boxes(page, "sources")
    return {(nearest(targets, *r[:2]), nearest(sources, *r[2:4])) for r in _ribbons(page)}


def test_words_are_written_one_after_another_without_asking_the_server(visit, trace):
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
    expect(_button(page, TR("writing.play"))).to_be_visible()  # the translation plays only once
    expect(page.locator(".ladder")).to_be_hidden()  # no token is being written at the end
    expect(page.locator(".hint:not(.unwritten)")).to_be_visible()
    assert page.evaluate("runs.asked") == asked


def test_the_script_that_films_the_page_for_the_readme_finds_the_ribbons(page, trace):
    ribbons = page.evaluate_handle(RIBBONS)
    ribbons.evaluate("ribbons => { ribbons.play(false); ribbons.moveTo(2.5); }")
    expect(page.locator(WRITTEN)).to_have_text(list(display(trace.next_tokens))[:3])


def test_a_picture_shows_all_words_while_playing_and_the_written_words_when_stopped(visit, trace):
    page = visit.open(first=".player")
    figure = page.locator("[class*=st-key-figure-]").first
    words = list(display(trace.next_tokens))
    _button(page, "0.5×").click()
    _scrub(page, "Home")

    _button(page, TR("writing.play")).click()
    saved_words = _words_of_picture(take(page, figure, "svg"))
    assert page.locator(WRITTEN).count() < len(words)  # the page itself has not finished
    assert saved_words[-len(words) :] == words
    expect(_button(page, TR("writing.pause"))).to_be_visible()  # playing continues

    page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    on_paper = page.locator(WRITTEN).all_text_contents()
    page.evaluate("() => dispatchEvent(new Event('afterprint'))")
    assert on_paper == words
    assert page.locator(WRITTEN).count() < len(words)

    _scrub(page, "Home")
    _scrub(page, "ArrowRight")
    _scrub(page, "ArrowRight")
    saved_words = _words_of_picture(take(page, figure, "svg"))
    assert words[1] in saved_words
    assert words[2] not in saved_words


def test_a_picture_has_the_bars_below_the_words(page, trace):
    figure = page.locator("[class*=st-key-figure-]").first
    svg = ElementTree.fromstring(take(page, figure, "svg"))
    bars = [rect for rect in svg.iter(f"{SVG}rect") if rect.get("height") == "3"]
    wholes, shares = bars[::2], bars[1::2]
    widths = [[float(bar.get("width")) for bar in each] for each in (wholes, shares)]
    items = page.locator(".targets li[style*='--source']")
    assert len(wholes) == items.count() == len(trace.next_tokens)
    expected = items.evaluate_all(
        "items => items.map(item => +item.style.getPropertyValue('--source'))"
    )
    assert np.divide(widths[1], widths[0]) == pytest.approx(expected, abs=0.01)
    assert 0.3 < max(expected) <= 1
    assert len({rect.get("fill") for rect in shares}) == 1


def _words_of_picture(svg: bytes) -> list[str]:
    """Return the texts inside the parts of the figure, without its title and caption."""
    groups = ElementTree.fromstring(svg).findall(f"{SVG}g")
    return [text.text or "" for group in groups for text in group.iter(f"{SVG}text")]


def test_ribbons_show_the_weights_and_can_be_read_with_pointer_and_keys(page, trace, seen):
    sources, targets = page.locator(".sources li"), page.locator(".targets li")
    status, ladder = page.locator(".root:has(.stage) > .unseen"), page.locator(".ladder")
    strong = {position: THICK * w for position, w in np.ndenumerate(seen.weights) if w >= 0.01}
    assert _ends(page) == set(strong)
    np.testing.assert_allclose(_ribbons(page)[:, 4], list(strong.values()), rtol=1e-5)
    np.testing.assert_array_equal(seen.weights, trace.cross[ALIGNER][1:])
    # pointing at a source word
    s = display(trace.src_tokens).index("he")
    sources.nth(s).hover()
    assert _ends(page) == {(t, s) for t, _ in strong if (t, s) in strong}
    best = int(seen.weights[:, s].argmax())
    name = display(trace.next_tokens)[best]
    expect(status).to_have_text(f"{name} → he {seen.weights[best, s]:.2f}")
    expect(ladder).to_be_hidden()
    share = "all => all.map((each) => Number(each.style.getPropertyValue('--share')))"
    shares = targets.evaluate_all(share)[:-1]
    np.testing.assert_allclose(shares, seen.weights[:, s], atol=1e-6)
    assert sources.evaluate_all(share) == [n == s for n in range(sources.count())]
    page.locator("h1").hover()
    assert _ends(page) == set(strong)
    # arrow keys go from word to word and to the other sentence
    page.locator(".speeds button").last.focus()
    page.keyboard.press("Tab")
    expect(sources.first).to_be_focused()
    for key, side, position in (
        ("ArrowRight", sources, 1),
        ("ArrowDown", targets, 1),
        ("ArrowUp", sources, 1),
        ("ArrowDown", targets, 1),
        ("ArrowLeft", targets, 0),
    ):
        page.keyboard.press(key)
        expect(side.nth(position)).to_be_focused()
        assert {(t if side is targets else s) for t, s in _ends(page)} == {position}
    expect(page.locator(".ladder [aria-current] bdi")).to_have_text("Elle")
    page.keyboard.press("Escape")
    expect(ladder).to_be_hidden()
    targets.last.focus()
    assert not len(_ribbons(page))
    expect(status).to_contain_text(TR("writing.unread"))
    expect(status).to_contain_text(re.compile(r"0\.\d\d from the source"))
    targets.last.blur()


def test_the_candidates_and_the_map_follow_the_written_words(page, seen):
    _scrub(page, "Home")
    expect(page.locator(".ladder")).to_be_hidden()
    page.get_by_text(TR("writing.map")).click()
    rows = page.locator("table.map tbody tr")
    expect(rows).to_have_count(len(seen.weights))
    shown = [row.locator("td").all_text_contents() for row in rows.all()]
    assert shown == [[f"{weight:.2f}" for weight in row] for row in seen.weights]
    rivals = [row.locator("td").all_text_contents() for row in page.locator(RIVALS).all()]
    assert [[cell.split()[-1] for cell in row] for row in rivals] == [
        [f"{r.probability:.3f}" for r in rungs] for rungs in seen.top_alternatives
    ]
    expect(page.locator("[data-lit]")).to_have_count(0)
    for n, rungs in enumerate(seen.top_alternatives[:4]):
        _scrub(page, "ArrowRight")
        expect(rows.nth(n)).to_have_attribute("data-lit", "")
        expect(page.locator("[data-lit]")).to_have_count(1)
        ladder = page.locator(".ladder li")
        expect(ladder.locator("bdi")).to_have_text([display_subword(r.subword) for r in rungs])
        expect(ladder.locator("small")).to_have_text([f"{r.probability:.3f}" for r in rungs])
        chosen = page.locator(".ladder [aria-current] bdi")
        expect(chosen).to_have_text([page.locator(WRITTEN).last.text_content()])
        # the ribbons of the last word are stronger than the others
        now = _ribbons(page)[:, 5] > 0.8
        assert now.sum() == (seen.weights[n] >= 0.01).sum()
        assert not n or _ribbons(page)[0, 5] < 0.3


def test_the_speed_can_be_chosen_and_playing_can_be_paused_and_continued(
    browser, address, trace, seen
):
    context = new_profile(browser)  # a changed clock affects all pages of a profile
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
    track = slider.bounding_box()
    page.mouse.move(track["x"] + 3, track["y"] + track["height"] / 2)
    page.mouse.down()  # the ribbons follow while the slider is dragged
    expect(written).to_have_count(0)
    page.mouse.up()
    slider.fill("3")
    expect(written).to_have_count(3)
    label = TR("writing.told", n=3, all=len(trace.next_tokens), token=display(trace.next_tokens)[2])
    expect(slider).to_have_attribute("aria-valuetext", label)
    # while the pointer is on a word, nothing is written
    _button(page, TR("writing.play")).click()
    page.locator(".targets li").nth(1).hover()
    page.clock.run_for(3 * PACE)
    expect(written).to_have_count(3)
    assert _ends(page) == {(1, int(s)) for s in np.flatnonzero(seen.weights[1] >= 0.01)}
    rungs = [display_subword(each.subword) for each in seen.top_alternatives[1]]
    expect(page.locator(".ladder bdi")).to_have_text(rungs)
    page.locator("h1").hover()
    page.clock.run_for(PACE)
    expect(written).to_have_count(5)  # two more tokens at speed 2
    context.close()


def test_the_model_continues_from_another_candidate_after_a_click_or_a_number_key(page, seen):
    first = page.locator(".targets li").nth(2)
    first.hover()
    rung = page.locator(".ladder li").nth(1)
    rung.hover()  # the candidates stay open while the pointer moves to them
    with answered(page):
        rung.click()
    other = seen.top_alternatives[2][1]
    expect_link(page, {"writing.chosen": f"2-{other.id}"})
    expect(page.locator(".targets li").nth(2)).to_have_text(display_subword(other.subword))
    _scrub(page, "End")
    page.locator(".targets li").nth(4).focus()
    with answered(page):
        page.keyboard.press("2")
    expect(page.locator(".origin")).to_have_text(TR("writing.chosen", places="3, 5"))
    with answered(page):
        page.locator(".st-key-writing-back button").click()
    expect(page.locator(".targets li").nth(2)).to_have_text(
        display_subword(seen.top_alternatives[2][0].subword)
    )


def test_a_new_sentence_is_played_from_its_start_and_a_new_language_keeps_the_position(visit):
    page = visit.open(first=".player")
    _scrub(page, "End")
    n = page.locator(WRITTEN).count()
    page.locator(".st-key-language-switch").get_by_role("radio", name="中文").click()
    page.get_by_role("slider", name=translator("zh")("writing.position")).wait_for()
    assert page.locator(WRITTEN).count() == n  # without playing again
    expect(page.locator(".play")).to_have_text(translator("zh")("writing.play"))
    page.locator(".st-key-chips button").first.click()
    page.locator(".sources li", has_text="red").wait_for()
    expect(page.locator(".play")).to_have_text(translator("zh")("writing.pause"))
    expect(page.locator(".ladder")).to_be_visible()


def _slow_down(page: Page, factor: int) -> None:
    """Make the processor slower, which only Chromium can."""
    if factor > 1:
        processor = page.context.new_cdp_session(page)
        processor.send("Emulation.setCPUThrottlingRate", {"rate": factor})


@pytest.mark.parametrize(
    "slower",
    [
        pytest.param(1, id="fast processor"),
        pytest.param(5, id="slow processor", marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("name", ["explorer", pytest.param("experiments", marks=pytest.mark.slow)])
def test_back_from_another_page_shows_the_sentence_that_was_typed(visit, name, slower):
    page = visit.open(first=".player")
    _slow_down(page, slower)
    own = "The dog eats."
    page.locator(SENTENCE).fill(own)
    with answered(page):
        page.locator(SENTENCE).press("Enter")
    entries = page.evaluate("history.length")
    with answered(page):
        page.locator(".st-key-menu").get_by_role("link", name=TR(f"page.{name}")).click()
    expect_link(page, {"sentence": own})
    expect(page.locator(SENTENCE)).to_have_value(own)
    assert page.evaluate("history.length") == entries + 1
    with answered(page):
        page.go_back()
    expect(page).to_have_url(re.compile(r"/\?sentence=The\+dog\+eats%2E$"))
    expect(page.locator(SENTENCE)).to_have_value(own)


@pytest.mark.parametrize("slower", [1, 5], ids=["quick", "slow"])
def test_a_text_without_enter_is_read_before_a_page_of_the_menu_opens(visit, slower):
    """One click leaves the box and opens a page. In an earlier version, the page did not open."""
    page = visit.open(first=".player")
    _slow_down(page, slower)
    own = "The owl flies."
    page.locator(SENTENCE).fill(own)
    entries = page.evaluate("history.length")
    page.locator(".st-key-menu").get_by_role("link", name=TR("page.experiments")).click()
    page.wait_for_url(re.compile(r"/experiments\?sentence=The\+owl\+flies(\.|%2E)$"))
    expect(page.locator(SENTENCE)).to_have_value(own)
    # one entry for the sentence, one for the page
    assert page.evaluate("history.length") == entries + 2
    with answered(page):
        page.go_back()
    expect(page).to_have_url(re.compile(r"/\?sentence=The\+owl\+flies(\.|%2E)$"))
    expect(page.locator(SENTENCE)).to_have_value(own)


@pytest.mark.parametrize("tab", [PHONE], indirect=True)
@pytest.mark.parametrize(
    ("sentence", "columns"),
    [
        ("I said that " * 15 + "it is late.", True),
        # too long for one line on a phone
        pytest.param(DEFAULT_SENTENCE, True, marks=pytest.mark.slow),
        ("שלום a\u0301\x01\u202e a a", True),
        ("I see.", False),
    ],
)
def test_ribbons_end_at_their_words_in_lines_and_columns_and_do_not_move_if_motion_is_reduced(
    tab, sentence, columns
):
    t = load(FOLDER)
    weights = decoding_steps(t.trace(sentence), t.tokenizer, reading_head=ALIGNER).weights
    tab.page.emulate_media(reduced_motion="reduce")
    page = tab.open(f"?sentence={quote(sentence)}", first=WRITTEN)
    expect(page.locator(WRITTEN)).to_have_count(len(weights) + 1)
    expect(page.locator(".play")).to_be_hidden()
    targets, sources = _boxes(page, "targets"), _boxes(page, "sources")
    # Tokens are either in one column or in one line; a line never wraps. In a line, all tokens have
    # the same vertical middle, also the smaller special tokens at both ends.
    assert (np.diff(sources[:, 1 if columns else 0]) > 0).all()
    if not columns:
        np.testing.assert_allclose(np.ptp(sources[:, 1] + sources[:, 3] / 2), 0, atol=1)
    expected = []
    for (x, y, long, high), row in zip(targets, weights, strict=False):
        for s in np.flatnonzero(row >= 0.01):
            # offset, because ribbons are side by side
            aside = THICK * (row[:s].sum() + row[s] / 2 - 0.5)
            start = (x, y + high / 2 + aside) if columns else (x + long / 2 + aside, y)
            left, top, wide, tall = sources[s]
            end = (left + wide, top + tall / 2) if columns else (left + wide / 2, top + tall)
            expected.append((*start, *end, THICK * row[s]))
    np.testing.assert_allclose(_ribbons(page)[:, :5], expected, atol=0.01)
    page.locator(".targets li").first.hover()
    assert len(_ribbons(page)) == (weights[0] >= 0.01).sum()  # only the ribbons of the first word
    expect(page.locator(".ladder [aria-current]")).to_be_visible()
    if columns:  # the candidates are on the screen
        ladder = place_of(page.locator(".ladder"))
        assert ladder["y"] + ladder["height"] <= PHONE["height"]


@pytest.mark.parametrize("tab", [SCREEN, PHONE], indirect=True)
def test_the_link_to_the_lesson_looks_like_a_button(tab):
    page = tab.open("", first=".st-key-begin a")
    border = page.locator(".st-key-begin a").evaluate("a => getComputedStyle(a).borderTopWidth")
    assert border == "1px"
