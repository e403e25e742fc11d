"""Every view as every visitor meets it: bright and dark, in each language, on three screens.

One visit a view: theme, language and screen change in place, as they do for visitors. Whatever a
page logs as an error or asks of a foreign host fails the visit.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.browser.axe import violations
from tests.browser.conftest import settle
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
# In each language both themes, and all screens; first what a visitor has met.
LOOKS = [
    ("en", "light", 1440),
    ("zh", "dark", 390),
    ("en", "dark", 1920),
    ("zh", "light", 1440),
    ("zh", "dark", 1920),
    ("en", "light", 390),
]
ALL = [pytest.param(*view, id=f"{view[0]}-{view[1][-20:]}") for view in VIEWS]
# One view of each page; the others in the long run, half a minute each.
FIRST = [*{view.values[0]: view for view in reversed(ALL)}.values()]
PHONE = [look for look in LOOKS if look[2] == 390]
WIDE = [look for look in LOOKS if look not in PHONE]


def test_no_view_is_left_out():
    met = {(page or "welcome", link.rpartition("show=")[2]) for page, link, _ in VIEWS}
    for page in PAGES:
        before = f"{page}.view_"
        views = [key.removeprefix(before) for key in ENGLISH.texts if key.startswith(before)]
        assert page in {page for page, _ in met}
        assert {(page, view) for view in views[1:]} <= met  # the first needs no link


@pytest.mark.parametrize(("page", "link", "n"), FIRST)
def test_a_view_as_one_visitor_meets_it(visit, profile, page, link, n):
    """One look: a lesson on a phone, any other page on a wide screen, in turns."""
    looks = PHONE if page in LESSONS else WIDE
    turn = VIEWS.index((page, link, n)) % len(looks)
    _meet(visit, profile, page, link, n, [looks[turn]])


@pytest.mark.slow
@pytest.mark.parametrize(("page", "link", "n"), ALL)
def test_a_view_as_all_visitors_meet_it(visit, profile, page, link, n):
    _meet(visit, profile, page, link, n, LOOKS)


def _meet(visit, profile, page, link, n, looks) -> None:
    """Each figure is taken away; then the looks."""
    _begin(visit.page, width=looks[0][2])
    found = figures(visit, page, link, n)
    blank = profile.new_page()
    for figure in found:
        check(take(visit.page, figure, "svg"), figure, blank)
    blank.close()
    assert _faults(visit.page, looks) == []


def _begin(page: Page, *, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 1000})
    page.emulate_media(color_scheme="light")


def _faults(page: Page, looks: list[tuple[str, str, int]]) -> list[str]:
    faults = []
    for look in looks:
        _take_on(page, *look)
        badly_placed = page.evaluate(_LAYOUT)
        found = [*violations(page), *badly_placed, *_nameless(page), *_speechless(page)]
        if look[0] == "zh":
            found += _english(page)
        faults += [f"{look}: {fault}" for fault in found]
    return faults


def _english(page: Page) -> list[str]:
    """Texts of the interface that stand there in English in the middle of Chinese."""
    shown = page.evaluate(_WORDS)
    texts = {text for text in ENGLISH.texts.values() if len(text) > 12 and "{" not in text}
    return sorted(text for text in texts - set(CHINESE.texts.values()) if text in shown)


def _take_on(page: Page, language: str, theme: str, width: int) -> None:
    resized = page.viewport_size["width"] != width
    page.set_viewport_size({"width": width, "height": 1000})
    page.emulate_media(color_scheme=theme)
    own_name = translator(language)("language.own_name")
    page.locator(".st-key-tools").get_by_role("radio", name=own_name).click()
    settle(page)
    page.wait_for_function("!document.querySelector('[data-testid=stSkeleton]')")
    page.wait_for_timeout(1500 if resized else 500)  # pictures take the new size and colours


def _nameless(page: Page) -> list[str]:
    """Charts that say nothing of themselves but what Vega calls all of them."""
    names = page.locator("[role=graphics-document]").evaluate_all(
        "charts => charts.map((chart) => chart.ariaLabel)"
    )
    return [f"a chart is called {name!r}" for name in names if not name or name.startswith("Vega")]


def _speechless(page: Page) -> list[str]:
    """Tokens that do not say which language they are of."""
    tokens = page.locator(":is(.subwords, .candidates, .token-table) bdi:not([lang])")
    return [f"of no language: {token}" for token in tokens.all_text_contents()]
