"""Two visitors in the laboratory at once."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit, answered, new_profile

pytestmark = pytest.mark.browser


def _open(browser, address, path: str = "learning?show=laboratory") -> Page:
    context = new_profile(browser, viewport={"width": 1440, "height": 1000})
    return Visit(context.new_page(), address).open(path)


def _train(page: Page) -> None:
    page.get_by_role("button", name="Train", exact=True).click()


def test_one_runs_the_other_waits_and_leaving_frees_it(browser, address):
    first, second = _open(browser, address), _open(browser, address)
    with answered(first):
        first.get_by_role("radio", name="number words to digits").click()  # no other is as slow
    with answered(first):
        first.get_by_role("radio", name="3", exact=True).first.click()
    _train(first)
    step = first.get_by_text("Learning: step", exact=False)
    step.wait_for()
    # the loss is drawn while it learns
    first.locator(".vega-embed svg").first.wait_for()
    before = step.first.inner_text()
    expect(step.first).not_to_have_text(before)
    _train(second)
    second.get_by_text("Waiting: one piece of work runs at a time", exact=False).wait_for()
    # somebody else is answered meanwhile
    reader = _open(browser, address, "")
    box = reader.get_by_role("textbox").first
    box.fill("Tom reads a book.")
    box.press("Enter")
    reader.locator("p.translation", has_text="Tom").wait_for()
    expect(step).to_be_visible()
    first.context.close()
    second.get_by_text("Learning: step", exact=False).wait_for()
    second.get_by_role("button", name="Stop").click()
    expect(second.get_by_text("Stopped after step", exact=False)).to_be_visible()
    for page in (second, reader):
        page.context.close()
