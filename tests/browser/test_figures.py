"""A figure is taken away: as a picture of twice the size, or copied with its words."""

from __future__ import annotations

import io
from xml.etree import ElementTree

import pytest
from PIL import Image
from playwright.sync_api import expect

from tests.browser.conftest import Visit, new_profile
from tests.browser.taken import take
from tests.browser.views import TINY, figures
from ui.text.translator import translator

pytestmark = pytest.mark.browser

TR = translator("en")


def test_a_png_is_twice_as_large_as_its_svg(visit):
    [figure, _] = figures(visit, "explorer", f"{TINY}&view=head&layer=1&head=2", 2)
    drawing = ElementTree.fromstring(take(visit.page, figure, "svg"))
    picture = Image.open(io.BytesIO(take(visit.page, figure, "png")))
    assert picture.size == tuple(2 * int(drawing.get(n)) for n in ("width", "height"))
    assert len(picture.convert("RGB").getcolors(1 << 24)) > 20


def test_who_takes_a_figure_while_it_is_drawn_anew_gets_all_of_it(visit):
    [figure, _] = figures(visit, "explorer", TINY, 2)
    before = _whole(take(visit.page, figure, "svg"))
    figure.evaluate(
        """figure => {
            const style = document.createElement("style");
            const parts = ".stVegaLiteChart, .stHeading, .stMarkdown, .stHtml, .stBidiComponent";
            style.textContent = `:is(${parts}):not(:has(.figure-bar)) { display: none }`;
            figure.append(style);
            setTimeout(() => style.remove(), 1000);
        }"""
    )
    assert _whole(take(visit.page, figure, "svg")) == before


def _whole(svg: bytes) -> tuple[str | None, list[tuple[str, str | None]]]:
    """Its size, and all that it is made of."""
    drawing = ElementTree.fromstring(svg)
    return drawing.get("viewBox"), [(part.tag, part.text) for part in drawing.iter()]


def test_a_copy_is_a_picture_and_its_words(browser, address):
    context = new_profile(browser, permissions=["clipboard-read", "clipboard-write"])
    visitor = Visit(context.new_page(), address)
    [figure, _] = figures(visitor, "explorer", TINY, 2)
    button = figure.locator("[data-take=copy]")
    button.press("Enter")
    expect(button).to_have_text(TR("tools.copied"))
    kinds = visitor.page.evaluate(
        "navigator.clipboard.read().then(items => items.flatMap(item => item.types))"
    )
    assert set(kinds) == {"image/png", "text/plain"}
    said = visitor.page.evaluate("navigator.clipboard.readText()")
    assert said.startswith(figure.locator(".figure-bar").get_attribute("data-title"))
    context.close()


def test_where_a_picture_cannot_be_copied_a_word_says_so(visit):
    visit.page.add_init_script("delete Navigator.prototype.clipboard")  # as without https
    [figure, _] = figures(visit, "explorer", TINY, 2)
    button = figure.locator("[data-take=copy]")
    button.click()
    expect(button).to_have_text(TR("tools.no_copy"))
    expect(button).to_have_text(TR("take.copy"))
