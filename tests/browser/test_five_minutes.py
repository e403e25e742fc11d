"""The lesson "Five minutes" with the keys of a clicker: each step fits on one screen."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PHONE, answered, place_of
from ui.five_minutes.lesson import STEPS

pytestmark = pytest.mark.browser

LAST = len(STEPS)
SMALL, LARGE = {"width": 1280, "height": 720}, {"width": 1920, "height": 1080}
TABLET = {"width": 820, "height": 1180}
# Steps in which PageDown first shows the other case or the answer -> the claim after that.
_SECOND_CLAIM = {
    3: "“wide” decides what “it” means",
    6: "Without the mask",
    7: "of the translation's probability is left",
    8: "Without positions",
}
_WIDE = "five_minutes.ending=wide"  # the sentence with the longer translation
_PARTS = "document.querySelectorAll('.claim, [class*=st-key-five_minutes-]')"
# Names of the parts and buttons that are partly outside the window, and whether the page scrolls.
_OUTSIDE = """() => {
    const parts = [".claim", ".st-key-five_minutes-control", ".st-key-five_minutes-picture"];
    const outside = [...parts, ".st-key-five_minutes-next button"].filter((part) => {
        const box = document.querySelector(part).getBoundingClientRect();
        const isWhole = box.top >= 0 && box.bottom <= innerHeight && box.right <= innerWidth;
        return !box.height || !isWhole;
    });
    for (const button of document.querySelectorAll(".st-key-five_minutes-control button")) {
        if (button.getBoundingClientRect().right > innerWidth) outside.push(button.innerText);
    }
    const main = document.querySelector(".stMain");
    return main.scrollHeight > main.clientHeight ? [...outside, "scrolls"] : outside;
}"""


def _at(page: Page, step: int) -> None:
    """Wait until a step is shown and nothing in it moves."""
    expect(page.locator(".claim small")).to_have_text(f"{step} / {LAST}")
    page.wait_for_function(f"rest => seen.rests({_PARTS}, rest)", arg=300)


@pytest.mark.parametrize(
    "visit",
    [
        SMALL,
        PHONE,
        LARGE,
        TABLET,
        pytest.param({"width": 1440, "height": 900}, marks=pytest.mark.slow),
    ],
    indirect=True,
)
def test_a_clicker_shows_all_that_the_steps_claim_and_each_is_on_one_screen(visit):
    page = visit.open("five_minutes", first=".claim")
    outside = {}
    for step in range(1, LAST + 1):
        _at(page, step)
        outside[step] = page.evaluate(_OUTSIDE)
        if step in _SECOND_CLAIM:
            with answered(page):
                page.keyboard.press("PageDown")
            expect(page.locator(".claim")).to_contain_text(_SECOND_CLAIM[step])
            _at(page, step)
            outside[step] += page.evaluate(_OUTSIDE)
        if step < LAST:
            with answered(page):
                page.keyboard.press("PageDown")
    assert outside == {step: [] for step in range(1, LAST + 1)}
    with answered(page):
        page.keyboard.press("PageUp")
    _at(page, LAST - 1)


def _brand_and_tools(page: Page) -> tuple[float, float]:
    """Return where the name of the app begins, and how far from the right end the tools do.

    A scroll bar is not part of the page: Firefox shows one on each page that scrolls.
    """
    brand = place_of(page.locator(".brand"))["x"]
    tools = place_of(page.locator(".st-key-tools"))["x"]
    return brand, page.locator(".stMain").evaluate("main => main.clientWidth") - tools


@pytest.mark.layout
@pytest.mark.parametrize("visit", [{"width": 1440, "height": 900}], indirect=True)
def test_the_menu_is_where_other_pages_have_it_and_leads_to_them(visit):
    page = visit.open("explorer", first=".brand")
    menu = _brand_and_tools(page)
    visit.open("five_minutes", first=".claim")
    assert _brand_and_tools(page) == pytest.approx(menu, abs=0.1)
    links = page.locator(".st-key-menu .stPageLink:visible")
    boxes = [place_of(link) for link in links.all()]
    assert len(boxes) == 5  # every part of the app but this one
    tools = place_of(page.locator(".st-key-tools"))
    assert max(box["x"] + box["width"] for box in boxes) < tools["x"]
    last_language = place_of(page.locator(".st-key-language-switch button").last)
    streamlits_own = place_of(page.get_by_test_id("stMainMenu"))
    assert last_language["x"] + last_language["width"] <= streamlits_own["x"]
    with answered(page):
        page.get_by_role("link", name="All lessons").click()
    expect(page.locator(".st-key-bar .here")).to_contain_text("Queries")


@pytest.mark.layout
@pytest.mark.parametrize("visit", [PHONE], indirect=True)
def test_a_phone_shows_a_way_out_of_every_step_on_its_first_screen(visit):
    page = visit.open("five_minutes", first=".claim")
    for step in range(1, LAST + 1):
        _at(page, step)
        links = page.locator(".st-key-five_minutes-way a")
        assert links.count() > 0
        for link in links.all():
            box = place_of(link)
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= PHONE["width"]
            assert box["height"] >= 24  # pixels that a finger hits
            assert box["y"] + box["height"] <= PHONE["height"]
        if step < LAST:
            with answered(page):
                page.get_by_role("button", name="Next →").click()
    with answered(page):
        page.get_by_role("link", name="Next: Queries, keys, values").click()
    expect(page.locator(".st-key-bar .here")).to_contain_text("Queries")


@pytest.mark.layout
@pytest.mark.parametrize("tab", [SMALL], indirect=True)
def test_the_picture_of_a_step_grows_with_the_screen(tab):
    areas = {}
    heights = {}
    for screen in (SMALL, LARGE, TABLET):
        tab.page.set_viewport_size(screen)
        for step in (2, 6, 7, 8):
            page = tab.open(f"five_minutes?step={step}", first=".st-key-five_minutes canvas")
            _at(page, step)
            box = place_of(page.locator(".st-key-five_minutes canvas").first)
            areas[screen["width"], step] = box["width"] * box["height"]
            heights[screen["width"], step] = box["height"]
    for step in (2, 6, 8):
        assert areas[LARGE["width"], step] > 2 * areas[SMALL["width"], step]
        assert heights[TABLET["width"], step] > 1.1 * heights[SMALL["width"], step]
    assert heights[TABLET["width"], 7] > 1.4 * heights[SMALL["width"], 7]


@pytest.mark.layout
@pytest.mark.parametrize("visit", [LARGE], indirect=True)
def test_the_titles_of_presented_steps_have_one_size(visit):
    page = visit.open("five_minutes?present=1", first=".claim")
    sizes = set()
    for step in range(1, LAST + 1):
        expect(page.locator(".claim small")).to_have_text(f"{step} / {LAST}")
        page.wait_for_selector("[data-fits]", state="attached")
        _at(page, step)
        sizes.add(
            page.locator(".claim").evaluate(
                "claim => Math.round(parseFloat(getComputedStyle(claim).fontSize)"
                " * claim.currentCSSZoom)"
            )
        )
        if step in _SECOND_CLAIM:
            with answered(page):
                page.keyboard.press("PageDown")
        if step < LAST:
            with answered(page):
                page.keyboard.press("PageDown")
    assert sizes == {48}  # 2.5% of the width of the screen


@pytest.mark.layout
@pytest.mark.parametrize("tab", [SMALL], indirect=True)
@pytest.mark.parametrize(
    ("screen", "present"),
    [
        (SMALL, "&lang=zh&checkpoint=en-fr&present=1"),
        (LARGE, "&present=1"),
        (LARGE, ""),
        (TABLET, ""),
        (SMALL, f"&{_WIDE}"),
        (SMALL, f"&{_WIDE}&present=1"),
        (TABLET, f"&{_WIDE}"),
    ],
)
def test_the_words_that_a_head_attends_to_are_in_one_line(tab, screen, present):
    tab.page.set_viewport_size(screen)
    page = tab.open(f"five_minutes?step=3{present}", first=".attended li")
    _at(page, 3)
    words = [place_of(word) for word in page.locator(".attended li").all()]
    assert max(word["y"] for word in words) < min(word["y"] + word["height"] for word in words)
    right = words[-1]["x"] + words[-1]["width"]
    assert 0.8 * screen["width"] * 0.8 < right <= screen["width"]  # and fill most of it


@pytest.mark.layout
@pytest.mark.parametrize("tab", [PHONE], indirect=True)
@pytest.mark.parametrize("link", ["five_minutes", ""])
def test_on_a_phone_the_line_below_a_word_is_below_its_letters(tab, link):
    page = tab.open(link, first=".targets li")
    texts = page.locator(".targets li").evaluate_all(
        """items => items.map((item) => {
          const { fontSize, lineHeight } = getComputedStyle(item);
          return [fontSize, lineHeight, `${item.clientHeight}`].map(parseFloat);
        })"""
    )
    assert len(texts) == 11
    for letters, line, row in texts:
        assert letters < line  # the letters of two words do not touch
        assert row - line >= 3  # pixels of the line


@pytest.mark.layout
@pytest.mark.parametrize("visit", [TABLET, PHONE], indirect=True)
def test_matrices_below_each_other_have_no_arrow_beside_them(visit):
    page = visit.open("five_minutes?step=5", first=".st-key-five_minutes canvas")
    _at(page, 5)
    operators = page.locator(".st-key-figure-vectors .operator")
    assert operators.count() == 3
    for operator in operators.all():
        expect(operator).to_be_hidden()


@pytest.mark.layout
@pytest.mark.parametrize("visit", [PHONE], indirect=True)
def test_a_note_about_steps_that_are_left_out_is_below_the_buttons_of_a_phone(visit):
    page = visit.open("five_minutes?step=3&lang=zh", first=".st-key-five_minutes-left_out")
    page.wait_for_function(f"rest => seen.rests({_PARTS}, rest)", arg=300)
    button = place_of(page.locator(".st-key-five_minutes-next button"))
    assert button["y"] + button["height"] <= PHONE["height"]
    note = place_of(page.locator(".st-key-five_minutes-left_out"))
    assert note["y"] >= button["y"] + button["height"]
