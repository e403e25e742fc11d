"""The page "From RNN to attention" in a browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from model import load
from model.pictures.tokens import display

pytestmark = pytest.mark.browser

SENTENCE = "I see a cat."


@pytest.fixture
def address(family_address: str) -> str:
    """Where one model of each kind is served."""
    return family_address


@pytest.mark.parametrize("visit", [{"width": 390, "height": 844}], indirect=True)
def test_the_visitor_s_sentence_side_by_side(visit, family):
    page = visit.open("from_rnn")
    box = page.get_by_role("textbox").first
    box.fill(SENTENCE)
    box.press("Enter")
    expect(page.locator("p.translation")).to_have_count(3)
    # a map for each model that attends, with this sentence's tokens
    expect(page.locator(".vega-embed")).to_have_count(2)
    tokens = display(load(family / "en-fr").trace(SENTENCE).src_tokens)
    for chart in page.locator(".vega-embed").all():
        for token in tokens:
            expect(chart.get_by_text(token, exact=True).first).to_be_attached()
    width = page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth")
    assert width <= 390


def test_every_view_opens(visit):
    page = visit.open("from_rnn")
    for view, heading in (
        ("One vector", "The context vector of every step"),
        ("Gates", "Mean over all units"),
        ("Long sentences", "Try it"),
    ):
        page.get_by_text(view, exact=True).click()
        expect(page.get_by_role("heading", name=heading)).to_be_visible()
