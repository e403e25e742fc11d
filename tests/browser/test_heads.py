"""The catalogue of heads in a browser."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import place_of, settle

pytestmark = pytest.mark.browser

SHIPPED = [
    pytest.param(f"?checkpoint={name}", marks=pytest.mark.slow)
    for name in ("en-zh", "en-fr-small", "en-fr-seq2seq", "en-fr-bahdanau")
]
PHONE = {"width": 390, "height": 844}


def _open(visit, link: str = "") -> Page:
    page = visit.page
    page.goto(f"{visit.address}/heads{link}")
    page.locator("tr[data-name]").first.wait_for()
    return page


def _rows(page: Page) -> list[str]:
    return page.locator("tr[data-name]").evaluate_all("rows => rows.map((row) => row.dataset.name)")


@pytest.mark.parametrize("visit", [None, PHONE], indirect=True, ids=["wide", "phone"])
@pytest.mark.parametrize(
    "across", [*(pytest.param(x, marks=pytest.mark.slow) for x in (0.02, 0.5)), 0.95]
)
def test_a_click_anywhere_in_a_row_opens_its_head_in_the_explorer(visit, across):
    page = _open(visit, "?heads.sort=head-up")
    assert _rows(page)[:2] == ["e1.1", "e1.2"]
    row = page.locator("tr[data-name='e1.2']")
    row.scroll_into_view_if_needed()
    place = place_of(row)
    seen = min(place["width"], place_of(page.locator("[role=region]"))["width"])
    page.mouse.click(place["x"] + across * seen, place["y"] + place["height"] / 2)
    expect(page).to_have_url(re.compile(r"/explorer\?.*view=head"))
    heading = page.get_by_role("heading", name="Encoder self attention · layer 1 · head 2")
    expect(heading).to_be_visible()


def test_the_keyboard_opens_a_head_and_sorts(visit):
    page = _open(visit)
    first = _rows(page)
    header = page.get_by_role("button", name="What it does", exact=True)
    header.focus()
    page.keyboard.press("Enter")
    expect(page.locator("th[aria-sort=ascending]")).to_contain_text("What it does")
    expect(header).to_be_focused()
    assert sorted(_rows(page)) == sorted(first) != _rows(page)
    page.get_by_role("button", name="Cross · layer 2 · head 3").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Cross attention · layer 2 · head 3")).to_be_visible()


@pytest.mark.parametrize("link", ["", "?heads.columns=all", *SHIPPED])
def test_none_is_never_written(visit, link):
    page = visit.page
    page.goto(f"{visit.address}/heads{link}")
    page.locator("tr[data-name], [role=alert]").first.wait_for()
    settle(page)
    written = page.locator(".stMain").inner_text()
    assert len(written) > 100
    assert not re.search(r"\b(None|nan|NaN|null|undefined)\b", written)


@pytest.mark.parametrize("visit", [PHONE], indirect=True)
@pytest.mark.parametrize("language", [pytest.param("en", marks=pytest.mark.slow), "zh"])
def test_on_a_telephone_a_row_is_not_a_column_of_letters(visit, language):
    """A Chinese name can be broken after every character."""
    page = _open(visit, f"?lang={language}")
    heights = page.locator("tr[data-name]").evaluate_all("rows => rows.map((r) => r.offsetHeight)")
    assert max(heights) < 110  # three lines of text, or a map
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
