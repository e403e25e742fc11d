"""Every view of the app: no error, no barrier for the blind, nothing cut off, whole figures.

``make test`` opens the first view of each page once. The slow tests open every view in both themes,
in each language and on three screens, and change these without a reload, as visitors do. A test
fails if a page logs an error or asks a foreign host for anything.
"""

import re
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.browser.axe import violations
from tests.browser.conftest import answered
from tests.browser.printing import begin_printing, end_printing
from tests.browser.taken import check, take
from tests.browser.views import VIEWS, figures
from ui.frame.page import LESSONS, PAGES
from ui.text.translator import translator

pytestmark = pytest.mark.browser

_LAYOUT = (Path(__file__).parent / "layout.js").read_text(encoding="utf-8")
_WORDS = """() => {
    const main = document.querySelector('[data-testid=stMain]').cloneNode(true);
    main.querySelectorAll('.katex').forEach((formula) => formula.remove());
    return main.textContent;
}"""
ENGLISH, CHINESE = translator("en"), translator("zh")
# Each language in both themes and on all three screens. The first look is the usual one.
LOOKS = [
    ("en", "light", 1440),
    ("zh", "dark", 390),
    ("en", "dark", 1920),
    ("zh", "light", 1440),
    ("zh", "dark", 1920),
    ("en", "light", 390),
]
PHONE = [look for look in LOOKS if look[2] == 390]
WIDE = [look for look in LOOKS if look not in PHONE]
ALL = [pytest.param(*view, id=f"{view[0]}-{view[1][-20:]}") for view in VIEWS]


def test_the_list_of_views_is_complete():
    met = {(page or "welcome", link.rpartition("show=")[2]) for page, link, _ in VIEWS}
    for page in PAGES:
        before = f"{page}.view_"
        views = [key.removeprefix(before) for key in ENGLISH.texts if key.startswith(before)]
        assert page in {page for page, _ in met}
        assert {(page, view) for view in views[1:]} <= met  # the first view of a page needs no link


@pytest.mark.parametrize("page", [page if page != "welcome" else "" for page in PAGES])
def test_the_first_view_of_each_page_has_no_fault_for_one_visitor(tab, profile, page):
    """The visitor opens a lesson on a phone, and any other page on a wide screen.

    Language and theme differ from page to page.
    """
    looks = PHONE if page in LESSONS else WIDE
    language, theme, width = looks[len(page) % len(looks)]
    tab.page.set_viewport_size({"width": width, "height": 1000})
    tab.page.emulate_media(color_scheme=theme)
    link, n = next((link, n) for name, link, n in VIEWS if name == page)
    drawn = figures(tab, page, link, n, language)
    _take_all(tab.page, profile, drawn)
    _print_all(tab.page, drawn)
    assert _faults(tab.page, language) == []


@pytest.mark.slow
@pytest.mark.parametrize(("page", "link", "n"), ALL)
def test_every_view_has_no_fault_in_any_language_theme_or_screen(visit, profile, page, link, n):
    visit.page.set_viewport_size({"width": LOOKS[0][2], "height": 1000})
    visit.page.emulate_media(color_scheme="light")
    drawn = figures(visit, page, link, n)
    _take_all(visit.page, profile, drawn)
    _print_all(visit.page, drawn)
    faults = []
    spoken = "en"
    for language, theme, width in LOOKS:
        visit.page.set_viewport_size({"width": width, "height": 1000})
        visit.page.emulate_media(color_scheme=theme)
        if language != spoken:
            spoken = language
            own_name = translator(language)("language.own_name")
            with answered(visit.page):
                visit.page.locator(".st-key-language-switch").get_by_role(
                    "radio", name=own_name
                ).click()
        problems = _faults(visit.page, language, rest=700)  # longer than relayout.js waits
        faults += [f"{theme} {width}: {fault}" for fault in problems]
    assert faults == []


def _take_all(page: Page, profile: BrowserContext, figures: list[Locator]) -> None:
    blank = profile.new_page()
    for figure in figures:
        check(take(page, figure, "svg"), figure, blank)
    blank.close()


def _print_all(page: Page, figures: list[Locator]) -> None:
    """Assert that paper shows each figure as in a saved file, without its controls."""
    begin_printing(page)
    for figure in figures:
        expect(figure.locator("> .drawn > svg").first).to_be_visible()
    end_printing(page)


def _faults(page: Page, language: str, *, rest: int = 100) -> list[str]:
    """Return the faults of the page, once nothing has moved or grown for ``rest`` milliseconds."""
    page.mouse.move(0, 0)  # a chart that is pointed at shows buttons
    parts = "document.querySelectorAll('svg, canvas, .stMain *')"
    page.wait_for_function(f"rest => seen.rests({parts}, rest)", arg=rest)
    return [*page.evaluate(_LAYOUT), *violations(page), *_written(page, language)]


def _written(page: Page, language: str) -> list[str]:
    """Return words that no page should show, and charts and tokens without name or language."""
    shown = page.evaluate(_WORDS)
    faults = []
    if language == "zh":
        texts = {text for text in ENGLISH.texts.values() if len(text) > 12 and "{" not in text}
        faults += sorted(text for text in texts - set(CHINESE.texts.values()) if text in shown)
    main = page.locator(".stMain").inner_text()
    # the code that a lesson shows contains Python's None
    for code in page.locator(".st-key-lesson-code pre").all_inner_texts():
        main = main.replace(code, "")
    faults += re.findall(r"\b(?:None|nan|NaN|null|undefined)\b", main)
    names = page.locator("[role=graphics-document]").evaluate_all(
        "charts => charts.map((chart) => chart.ariaLabel)"
    )
    faults += [f"a chart is called {n!r}" for n in names if not n or n.startswith("Vega")]
    tokens = page.locator(
        ":is(.subwords, .candidates, .token-table, .checked-draft) bdi:not([lang])"
    )
    return faults + [f"of no language: {token}" for token in tokens.all_text_contents()]


@pytest.mark.parametrize("width", [pytest.param(1440, marks=pytest.mark.slow), 390])
def test_a_picture_uses_the_whole_width_before_anything_is_cut_off(visit, width):
    visit.page.set_viewport_size({"width": width, "height": 900})
    long = "The old man told the children that he had never seen such a beautiful sunset."
    page = visit.open(f"explorer?sentence={long}")
    for panel, box, drawn in (
        ("beam", ".st-key-tree", ".st-key-tree .vega-embed svg"),
        ("logit_lens", ".token-table", ".token-table"),
    ):
        with answered(page):
            name = ENGLISH(f"panel.{panel}")
            page.locator(".st-key-choice-panel").get_by_role("radio", name=name).click()
        page.locator(drawn).wait_for()
        room, own, picture = page.evaluate(
            """selector => {
                const box = document.querySelector(selector);
                const main = document.querySelector('.stMainBlockContainer');
                const { paddingLeft, paddingRight } = getComputedStyle(main);
                const room = main.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
                return [room, box.clientWidth, box.scrollWidth];
            }""",
            box,
        )
        assert picture <= own + 1 or own >= room - 2
        assert page.evaluate("document.body.scrollWidth") <= width
        # a box that scrolls can be focused, so that keys can scroll it
        expected = "0" if picture > own + 1 else None
        page.wait_for_function(
            "([box, index]) => document.querySelector(box).getAttribute('tabindex') === index",
            arg=[box, expected],
        )
