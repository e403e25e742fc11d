"""Ways from one state of a page to another: a control that is not drawn on the way, and back."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import settle
from ui.text.translator import translator

pytestmark = pytest.mark.browser

TEXTS = translator("en").texts
SENTENCE = "sentence=You+see+a+cat."


def _open(visit, path: str, last: str) -> Page:
    """Go to a page and wait until what is drawn last has come."""
    visit.page.goto(f"{visit.address}/{path}")
    visit.page.locator(last).first.wait_for()
    settle(visit.page)
    return visit.page


def _click(page: Page, key: str, name: str) -> None:
    """Press one option of a control and wait until the page has followed."""
    option = page.locator(f".st-key-{key}").get_by_role("radio", name=name, exact=True)
    option.click()
    expect(option).to_be_checked()
    settle(page)


def _chosen(page: Page, key: str) -> str | None:
    return page.locator(f".st-key-{key}").get_by_role("radio", checked=True).text_content()


def test_what_the_encoder_has_no_control_for_is_there_again_in_the_map(visit):
    page = _open(visit, f"explorer?checkpoint=tiny&{SENTENCE}", ".translation")
    _click(page, "choice-rows", TEXTS["rows.read"])
    _click(page, "choice-attention", TEXTS["attention.encoder_self"])
    _click(page, "choice-panel", TEXTS["panel.lines"])
    _click(page, "choice-attention", TEXTS["attention.cross"])
    assert _chosen(page, "choice-rows") == TEXTS["rows.read"]
    _click(page, "choice-panel", TEXTS["panel.map"])
    assert _chosen(page, "choice-rows") == TEXTS["rows.read"]
    expect(page).to_have_url(re.compile(r"rows=read"))
    assert "None" not in page.url


def test_the_classroom_and_back_with_a_step_on_either_side(visit):
    page = _open(visit, f"qkv?checkpoint=tiny&layer=2&head=3&{SENTENCE}", ".st-key-qkv-step")
    _click(page, "qkv-source", TEXTS["qkv.source.classroom"])
    _click(page, "qkv-step", f"5 {TEXTS['qkv.step.product']}")
    _click(page, "qkv-source", TEXTS["qkv.source.sentence"])
    _click(page, "qkv-step", f"6 {TEXTS['qkv.step.scale']}")
    assert _chosen(page, "choice-layer") == "2"
    assert _chosen(page, "choice-head") == "3"  # the classroom has two heads of its own
    assert "None" not in page.url


def test_the_drawn_translation_is_looked_into_at_once(visit):
    page = _open(visit, f"explorer?checkpoint=tiny&panel=steps&{SENTENCE}", ".translation")
    drawn = page.locator(".gloss").first.text_content()
    page.get_by_role("button", name=TEXTS["steps.look_inside"]).click()
    expect(page.locator(".origin")).to_have_text(TEXTS["origin.given"])
    words = drawn.removeprefix(TEXTS["steps.drawn"]).strip()
    expect(page.locator(".translation")).to_contain_text(words[:30])
    page.wait_for_url(re.compile("target="))


def test_a_number_of_a_thousand_can_be_taken_back(visit):
    page = _open(visit, "qkv?checkpoint=tiny", ".st-key-qkv-step")
    _click(page, "qkv-source", TEXTS["qkv.source.classroom"])
    _click(page, "qkv-step", f"8 {TEXTS['qkv.step.softmax']}")
    value = page.get_by_role("spinbutton").last
    value.fill("1000")
    value.press("Enter")
    settle(page)
    expect(page.locator("pre").last).to_contain_text("exp(s")
    page.get_by_role("button", name=TEXTS["qkv.reset"]).click()
    settle(page)
    expect(page.get_by_role("spinbutton").last).to_have_value("1.000")
