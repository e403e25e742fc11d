"""The box for a file speaks the visitor's language, where Streamlit's own words are English."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from ui.text.translator import translator

ZH = translator("zh")


@pytest.mark.browser
def test_a_file_that_is_too_large_is_refused_in_the_visitors_language(visit):
    page = visit.page
    page.goto(f"{visit.address}/many?lang=zh")
    shown = "element => getComputedStyle(element, '::after').content"
    box = page.get_by_test_id("stFileUploader")
    button = box.locator("button [data-testid=stMarkdownContainer]").first
    assert button.evaluate(shown) == f'"{ZH("many.choose")}"'
    box.locator("input[type=file]").set_input_files(
        {"name": "list.txt", "mimeType": "text/plain", "buffer": b"a\n" * 600_000}
    )
    expect(page.get_by_role("alert").filter(has_text="File must be")).to_be_attached()
    assert box.evaluate(shown) == f'"{ZH("many.refused", megabytes=1)}"'
