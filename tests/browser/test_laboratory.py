"""Two visitors in the laboratory at once."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import new_profile

pytestmark = pytest.mark.browser


def _open(browser, address) -> Page:
    page = new_profile(browser, viewport={"width": 1440, "height": 1000}).new_page()
    page.goto(f"{address}/learning?show=laboratory")
    page.get_by_role("button", name="Train", exact=True).wait_for()
    return page


def _train(page: Page) -> None:
    page.get_by_role("button", name="Train", exact=True).click()


def test_one_runs_the_other_waits_and_leaving_frees_it(browser, address):
    first, second = _open(browser, address), _open(browser, address)
    first.get_by_role("radio", name="number words to digits").click()  # no other is as slow
    first.get_by_role("radio", name="3", exact=True).first.click()
    _train(first)
    first.get_by_text("Learning: step", exact=False).wait_for()
    _train(second)
    second.get_by_text("Waiting: one piece of work runs at a time", exact=False).wait_for()

    # somebody else is answered meanwhile
    reader = new_profile(browser).new_page()
    reader.goto(address)
    box = reader.get_by_role("textbox").first
    box.fill("Tom reads a book.")
    box.press("Enter")
    reader.locator("p.translation", has_text="Tom").wait_for()
    expect(first.get_by_text("Learning: step", exact=False)).to_be_visible()

    first.context.close()
    second.get_by_text("Learning: step", exact=False).wait_for(timeout=10_000)
    second.get_by_role("button", name="Stop").click()
    expect(second.get_by_text("Stopped after step", exact=False)).to_be_visible()
    second.context.close()
    reader.context.close()


def test_the_loss_is_drawn_while_it_learns(browser, address):
    page = _open(browser, address)
    _train(page)
    chart = page.locator(".vega-embed").first
    chart.wait_for()
    seen = set()
    for _ in range(8):
        seen.add(page.get_by_text("Learning: step", exact=False).first.inner_text())
        page.wait_for_timeout(700)
    assert len(seen) >= 3
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_text("Stopped after step", exact=False)).to_be_visible()
    page.context.close()
