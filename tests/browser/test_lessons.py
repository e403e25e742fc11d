"""The lessons as a student meets them."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import place_of
from ui.text.translator import translator

pytestmark = pytest.mark.browser

SENTENCE = 'input[aria-label="Your sentence"]'
TEXTS = translator("en").texts


def _wait_until_drawn(page: Page, lesson: str) -> None:
    page.get_by_role("heading", name=TEXTS[f"heading.{lesson}"]).wait_for()
    page.wait_for_function(
        "() => document.querySelector('[data-testid=stApp]').dataset.testScriptState"
        " === 'notRunning'"
    )


def _open(page: Page, address: str, lesson: str) -> None:
    page.goto(f"{address}/{lesson}")
    _wait_until_drawn(page, lesson)


def test_the_sentence_of_the_explorer_comes_along(visit):
    page = visit.open("explorer?checkpoint=tiny&layer=2&head=2&view=head&sentence=I+see.")
    page.get_by_role("link", name=TEXTS["page.lessons"], exact=True).click()
    _wait_until_drawn(page, "qkv")
    page.get_by_role("radio", name=TEXTS["qkv.source.sentence"]).click()  # classroom first
    expect(page.locator(SENTENCE)).to_have_value("I see.")
    page.wait_for_url(lambda url: "head=2" in url and "layer=2" in url)


def _open_product_of_the_classroom(page: Page) -> None:
    page.get_by_text(TEXTS["qkv.source.classroom"], exact=True).click()
    page.wait_for_timeout(
        500
    )  # until the server has begun; while it draws, steps stand there twice
    _wait_until_drawn(page, "qkv")
    page.get_by_text(f"5 {TEXTS['qkv.step.product']}", exact=True).click()


def test_the_keyboard_picks_a_cell_and_its_worksheet_follows(visit):
    page = visit.page
    _open(page, visit.address, "qkv")
    _open_product_of_the_classroom(page)
    product = page.get_by_role("application", name="product Head 1")
    product.focus()
    for key in ("ArrowDown", "Enter"):
        page.keyboard.press(key)
    expect(page.locator("pre").last).to_contain_text(
        "product[0, 1, 0] = Σ_i q[0, 1, i] · k[0, 0, i]"
    )
    expect(page.locator("pre").last).to_contain_text("= 5")
    expect(product).to_be_focused()


def test_a_click_picks_the_cell_under_the_pointer(visit):
    page = visit.page
    _open(page, visit.address, "qkv")
    _open_product_of_the_classroom(page)
    product = page.get_by_role("application", name="product Head 1")
    box = place_of(product)
    product.click(position={"x": box["width"] - 60, "y": box["height"] - 6})
    expect(page.locator("pre").last).to_contain_text("product[0, 2,")


def test_a_pointer_may_be_there_before_the_matrices_are_drawn(visit):
    page = visit.page
    _open(page, visit.address, "qkv")
    canvas = page.locator("figure canvas").first
    canvas.evaluate(
        """canvas => {
            let place = canvas;
            while (!place.matricesView) place = place.parentNode ?? place.host;
            place.matricesView.show(place.matricesView.payload);
            place.matricesView.style = undefined; // as before the first drawing
            canvas.dispatchEvent(new PointerEvent("pointerleave"));
        }"""
    )  # what a script throws is in the visit's errors
    page.wait_for_timeout(200)


@pytest.mark.parametrize("visit", [{"width": 390, "height": 844}], indirect=True)
def test_on_a_telephone_a_legend_of_many_lines_leaves_the_curves_their_room(visit):
    page = visit.open("cost?show=table")
    charts = page.locator(".vega-embed")
    expect(charts).to_have_count(3)
    for chart in charts.all():
        assert place_of(chart.locator(".role-legend"))["height"] > 60  # three lines or more
        assert place_of(chart.locator(".root > g > .background"))["height"] >= 170
