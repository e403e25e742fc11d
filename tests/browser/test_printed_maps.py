"""Printed pages show every map complete, with the numbers and in the colours of the screen."""

import json
from xml.etree import ElementTree

import numpy as np
import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import SCREEN
from tests.browser.printing import (
    INK,
    NARROWEST,
    ONE,
    WIDE,
    begin_printing,
    count_pages,
    end_printing,
)
from tests.browser.taken import maps_in, take
from tests.browser.views import figures
from tests.server import ROOT
from ui.text.translator import translator

pytestmark = pytest.mark.browser

TR = translator("en")
CONTROLS = (
    ".figure-bar, .st-key-tools, .st-key-language-switch, .st-key-choice-attention, "
    ".st-key-choice-sentence textarea"
)


def test_the_app_prints_every_map_complete_and_in_its_colours(tab):
    chart, grid = figures(tab, "explorer", ONE, 2)
    page = tab.page
    saved = [maps_in(ElementTree.fromstring(take(page, each, "svg"))) for each in (chart, grid)]
    begin_printing(page)
    for figure, on_screen in zip((chart, grid), saved, strict=True):
        drawing = figure.locator(".drawn svg")
        expect(drawing).to_be_visible()
        svg = drawing.evaluate("svg => new XMLSerializer().serializeToString(svg)")
        on_paper = maps_in(ElementTree.fromstring(svg))
        assert len(on_paper) == len(on_screen)
        for printed, shown in zip(on_paper, on_screen, strict=True):
            assert np.array_equal(printed.colours, shown.colours)
    assert page.evaluate(WIDE, NARROWEST) == []
    for control in page.locator(CONTROLS).all():
        expect(control).to_be_hidden()
    end_printing(page)
    expect(page.locator(".paper-part")).to_have_count(0)
    expect(page.locator(".st-key-map canvas")).to_be_visible()


def _inks(drawing: Locator) -> set[str]:
    """Return the colours of the texts outside the cells: of labels, titles and the scale."""
    return set(
        drawing.evaluate(
            """svg => [...svg.querySelectorAll("text")]
                .filter(text => !/^[0-9.]+$/.test(text.textContent))
                .map(text => text.closest("[fill]").getAttribute("fill"))"""
        )
    )


def test_a_dark_page_is_printed_in_the_light_colours(tab):
    page = tab.page
    page.emulate_media(color_scheme="dark")
    chart, grid = figures(tab, "explorer", ONE, 2)
    background = "app => getComputedStyle(app).backgroundColor"
    assert page.locator(".stApp").evaluate(background) == "rgb(20, 22, 28)"
    light = [maps_in(ElementTree.fromstring(take(page, each, "svg"))) for each in (chart, grid)]
    begin_printing(page)
    for figure, saved in zip((chart, grid), light, strict=True):
        drawing = figure.locator(".drawn svg")
        svg = drawing.evaluate("svg => new XMLSerializer().serializeToString(svg)")
        for printed, shown in zip(maps_in(ElementTree.fromstring(svg)), saved, strict=True):
            assert np.array_equal(printed.colours, shown.colours)
        assert _inks(drawing) == {INK}
    assert page.locator(".stApp").evaluate(background) == "rgb(255, 255, 255)"
    assert page.locator(".stApp").evaluate("app => getComputedStyle(app).color") == INK
    end_printing(page)
    assert page.locator(".stApp").evaluate(background) == "rgb(20, 22, 28)"


def test_a_dark_saved_page_is_printed_in_the_light_colours(browser, trace, tmp_path):
    file = trace.to_html().save(tmp_path / "maps.html")
    page = browser.new_page(color_scheme="dark", viewport=SCREEN)
    page.goto(f"{file.as_uri()}#layer=2&head=3")
    page.get_by_role("button", name=TR("tools.sheet_title"), exact=True).click()
    page.evaluate("window.print = () => {}")
    page.get_by_role("button", name=TR("tools.sheet_print"), exact=True).click()
    page.emulate_media(media="print")
    for drawing in page.locator(".paper-sheet svg").all():
        assert _inks(drawing) == {INK}
    page.emulate_media(media="screen")
    page.evaluate("() => dispatchEvent(new Event('afterprint'))")
    begin_printing(page)
    assert _inks(page.locator(".large svg")) == {INK}
    body = page.locator("body").evaluate("node => getComputedStyle(node).backgroundColor")
    assert body == "rgb(255, 255, 255)"
    end_printing(page)
    page.close()


def test_no_printed_page_is_blank(tab):
    figures(tab, "explorer", ONE, 2)
    for paper in ("A4", "Letter"):
        assert 1 <= count_pages(tab.page.pdf(format=paper)) <= 2


def test_a_saved_page_prints_its_maps_complete_and_opens_the_view_of_a_link(
    browser, trace, tmp_path
):
    file = trace.to_html().save(tmp_path / "maps.html")
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(f"{file.as_uri()}#attention=encoder_self&layer=2&head=3")
    expect(page.locator(".large h2")).to_contain_text("layer 2 · head 3")
    page.locator("[name=kind][value=cross]").check()
    page.wait_for_url("**#attention=cross*layer=2&head=3")
    begin_printing(page)
    maps = page.locator(".glance svg")
    expect(maps).to_be_visible()
    expect(page.locator("canvas")).to_have_count(0)
    svg = maps.evaluate("svg => new XMLSerializer().serializeToString(svg)")
    tiles = page.locator(".tile").all()
    for tile, saved in zip(tiles, maps_in(ElementTree.fromstring(svg)), strict=True):
        at = tile.evaluate(
            """tile => {
                const box = tile.getBoundingClientRect();
                const grid = tile.closest(".grid").getBoundingClientRect();
                return [box.left - grid.left, box.top - grid.top, box.width, box.height];
            }"""
        )
        assert [saved.x, saved.y, saved.width, saved.height] == pytest.approx(at, abs=1)
    # says which cell has the frame
    expect(page.locator(".readout")).to_contain_text(TR("offline.strongest"))
    expect(page.locator(".readout")).to_be_visible()
    assert page.evaluate(WIDE, NARROWEST) == []
    end_printing(page)
    expect(page.locator("canvas").first).to_be_visible()
    page.close()


@pytest.mark.parametrize("link", ["", "heads.columns=all&heads.label=sink"])
def test_the_table_of_heads_prints_all_its_rows_within_the_paper(tab, link):
    figures(tab, "heads", link, 1)
    page = tab.page
    table = page.locator(".st-key-heads-table table")
    expect(table).to_be_visible()
    begin_printing(page)
    box = table.locator("xpath=..")
    assert box.evaluate("box => box.scrollHeight - box.clientHeight") <= 0
    assert table.evaluate("table => table.getBoundingClientRect().right") <= NARROWEST
    end_printing(page)


def test_a_table_with_scroll_bars_prints_all_its_rows_and_columns(tab):
    page = tab.open("from_rnn?show=length")
    table = page.locator(".printed-table").first
    expect(page.locator(".stDataFrame").first).to_be_visible()
    expect(table).to_be_hidden()
    begin_printing(page)
    expect(table).to_be_visible()
    for on_screen in page.locator(".stDataFrame").all():
        expect(on_screen).to_be_hidden()
    comparison = json.loads((ROOT / "checkpoints" / "comparison.json").read_text())
    scores = [f"{model['greedy']['bleu']:g}" for model in comparison["models"].values()]
    assert table.locator("tbody td:nth-child(6)").all_text_contents() == scores
    assert page.evaluate(WIDE, NARROWEST) == []
    end_printing(page)
    expect(table).to_be_hidden()


def test_a_presented_page_is_printed_without_its_hints_and_address(visit):
    page = visit.open(f"explorer?{ONE}&present=1", first="canvas")
    address = page.locator(".st-key-address-code")
    page.keyboard.press("q")
    keys = "app => getComputedStyle(app, '::after').content"
    expect(address).to_be_visible()
    assert page.locator(".stApp").evaluate(keys) != "none"
    begin_printing(page)
    expect(address).to_be_hidden()
    assert page.locator(".stApp").evaluate(keys) == "none"
    end_printing(page)


def test_the_large_numbers_of_a_figure_are_printed(tab):
    page = tab.page
    figures(tab, "positions", "checkpoint=en-fr&show=order", 1)
    numbers = page.locator(".stMetric [data-testid=stMetricValue]").all_inner_texts()
    begin_printing(page)
    printed = page.locator(".drawn > svg text").all_text_contents()
    end_printing(page)
    assert len(numbers) == 2
    assert set(numbers) <= set(printed)
