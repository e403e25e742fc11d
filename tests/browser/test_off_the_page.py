"""A picture just taken off the page, or not written yet, is no fault: visitors are quick."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.browser

# A page for each of our pictures, and what stands in it once it is drawn.
DRAWN = {
    "": ".targets li:not(.unwritten)",
    "explorer?view=head": ".tile",
    "explorer?panel=lines": ".heads button",
    "qkv": "canvas",
    "architecture": "svg [data-name]",
}


@pytest.mark.parametrize(("path", "drawn"), DRAWN.items(), ids=lambda text: text)
def test_a_picture_is_taken_off_the_page(visit, path, drawn):
    """Its size is nothing then, and so are its colours; ``visit`` sees to it that nothing fails."""
    page = visit.page
    page.goto(f"{visit.address}/{path}")
    page.locator(f".stBidiComponent {drawn}").first.wait_for()
    left = page.evaluate(
        """async () => {
            for (const each of document.querySelectorAll(".stBidiComponent")) each.remove();
            for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
            return document.querySelectorAll(".stBidiComponent").length;
        }"""
    )
    assert left == 0


def test_a_word_is_written_just_when_the_table_is_opened(visit):
    page = visit.open()
    page.locator(".targets li").first.evaluate(
        """word => {
            word.getRootNode().querySelector("details").open = true; // "toggle" comes later
            word.dispatchEvent(new PointerEvent("pointerenter"));
        }"""
    )
    lit = page.locator("table.map tr[data-lit]")
    lit.wait_for()
    assert lit.count() == 1
