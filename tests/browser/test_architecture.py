"""The architecture figure answers to the pointer and to the keyboard."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from ui.text.translator import translator

pytestmark = pytest.mark.browser

TEXTS = translator("en").texts


def _box(page: Page, name: str):
    return page.locator(f'[data-name="{name}"]')


def test_the_keyboard_picks_a_box_and_keeps_its_place(visit):
    page = visit.page
    page.goto(f"{visit.address}/architecture")
    _box(page, "decoder.softmax").focus()
    page.keyboard.press("Enter")
    heading = TEXTS["architecture.place_decoder"].format(part=TEXTS["architecture.part_softmax"])
    page.get_by_role("heading", name=heading).wait_for()
    expect(_box(page, "decoder.softmax")).to_have_attribute("aria-pressed", "true")
    expect(_box(page, "decoder.softmax")).to_be_focused()


def test_a_click_picks_a_box_and_next_goes_on_from_there(visit):
    page = visit.page
    page.goto(f"{visit.address}/architecture")
    _box(page, "encoder.embedding").click()
    expect(_box(page, "encoder.embedding")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name=TEXTS["architecture.next"], exact=True).click()
    expect(_box(page, "encoder.position")).to_have_attribute("aria-pressed", "true")
    expect(_box(page, "encoder.embedding")).to_have_attribute("aria-pressed", "false")
