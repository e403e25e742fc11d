"""Worksheets: what a class gets on paper."""

import re
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Locator, Page, expect

from model.one_file import __main__ as one_file
from tests.browser.printing import NARROWEST, ONE, WIDE, count_pages, end_printing
from tests.browser.taken import maps_in, tool_button
from tests.browser.views import GIVEN, figures
from tests.server import ROOT
from ui.text.translator import translator

pytestmark = pytest.mark.browser

TR = translator("en")


def test_a_worksheet_has_a_map_without_numbers_an_empty_grid_and_lines_to_write_on(tab):
    chart, _ = figures(tab, "explorer", ONE, 2)
    tool_button(chart, "print").click()
    _check_worksheet(tab.page, "I see a cat.", "Je vois un chat.")
    expect(tab.page.locator(".stApp")).to_be_visible()


def _check_worksheet(page: Page, sentence: str, target: str) -> None:
    """Print a worksheet without numbers from the open dialog, and check it."""
    page.evaluate("() => { window.print = () => dispatchEvent(new Event('beforeprint')); }")
    page.get_by_label(TR("tools.sheet_numbers")).uncheck()
    page.get_by_role("button", name=TR("tools.sheet_print"), exact=True).last.click()
    page.emulate_media(media="print")
    sheet = page.locator(".paper-sheet")
    expect(sheet.locator("h1")).to_have_text(TR("tools.sheet_asks_cross"))
    expect(sheet.locator("bdi")).to_have_text([sentence, target])
    with_map, grid = sheet.locator("svg").all()
    svg = with_map.evaluate("svg => new XMLSerializer().serializeToString(svg)")
    assert len(maps_in(ElementTree.fromstring(svg))) == 1
    assert "Σ" not in svg
    assert not re.search(r">[01]?\.\d\d<", svg)
    assert not grid.locator("[shape-rendering]").count()  # no cell of the empty grid has a colour
    labels = with_map.locator("text").all_text_contents()
    assert set(grid.locator("text").all_text_contents()) <= set(labels)
    assert sheet.locator("div.ruled").count() == 8
    expect(page.locator("body > :not(.paper-sheet):visible")).to_have_count(0)
    assert page.evaluate(WIDE, NARROWEST) == []
    end_printing(page)
    expect(sheet).to_have_count(0)


def _ask_for_sheet(page: Page, figure: Locator) -> Locator:
    """Open the dialog that asks what a worksheet should hold."""
    page.evaluate("() => { window.print = () => {}; }")
    tool_button(figure, "print").click()
    return page.locator("dialog.sheet-parts")


def _print_sheet(page: Page, dialog: Locator) -> Locator:
    dialog.get_by_role("button", name=TR("tools.sheet_print"), exact=True).click()
    return page.locator(".paper-sheet")


def test_a_worksheet_explains_its_rows_and_columns(tab):
    chart, _ = figures(tab, "explorer", ONE, 2)
    explained = TR("map.rows.cross.written", source=TR("language.en"), target=TR("language.fr"))
    dialog = _ask_for_sheet(tab.page, chart)
    expect(dialog).not_to_contain_text(TR("tools.sheet_no_map"))
    sheet = _print_sheet(tab.page, dialog)
    expect(sheet.locator(".legend")).to_have_text(f"{explained} {TR('tools.sheet_marks')}")
    expect(sheet).to_contain_text("0.")  # a number
    expect(sheet).not_to_contain_text("Σ")  # nothing there says what it means
    end_printing(tab.page)


def test_a_worksheet_without_a_map_says_where_there_is_one(tab):
    figure = figures(tab, "", GIVEN, 1)[0]
    dialog = _ask_for_sheet(tab.page, figure)
    expect(dialog).to_contain_text(TR("tools.sheet_no_map"))
    sheet = _print_sheet(tab.page, dialog)
    expect(sheet).to_contain_text(TR("tools.sheet_marks"))
    end_printing(tab.page)


def test_a_worksheet_says_why_it_cannot_have_numbers_or_a_grid(tab):
    words = "+".join(["dog"] * 24)
    chart, _ = figures(tab, "explorer", f"checkpoint=tiny&sentence={words}&target={words}", 2)
    dialog = _ask_for_sheet(tab.page, chart)
    label = f"{TR('tools.sheet_numbers')} ({TR('tools.sheet_too_small')})"
    numbers = dialog.get_by_label(label, exact=True)
    expect(numbers).to_be_disabled()
    expect(numbers).not_to_be_checked()
    expect(dialog.get_by_label(TR("tools.sheet_grid"), exact=True)).to_be_checked()
    tab.page.keyboard.press("Escape")
    # the cells of this map are 2 pixels wide
    [matrix] = figures(tab, "positions", "show=matrix", 1)
    dialog = _ask_for_sheet(tab.page, matrix)
    label = f"{TR('tools.sheet_grid')} ({TR('tools.sheet_too_small')})"
    expect(dialog.get_by_label(label, exact=True)).to_be_disabled()
    tab.page.keyboard.press("Escape")


def test_a_worksheet_of_two_maps_has_their_numbers(tab):
    [figure, *_] = figures(tab, "explorer", f"{GIVEN}&panel=compare&view=head", 2)
    sheet = _print_sheet(tab.page, _ask_for_sheet(tab.page, figure))
    texts = sheet.locator("svg text").all_text_contents()
    assert [text for text in texts if re.fullmatch(r"0\.\d\d", text)]
    end_printing(tab.page)


@pytest.mark.parametrize("paper", ["A4", "Letter"])
def test_a_worksheet_uses_as_few_pages_as_possible(tab, paper):
    link = "sentence=My+grandmother+bought+fresh+bread+before+the+shop+closed%2E"
    page = tab.page
    chart, grid = figures(tab, "explorer", link, 2)
    sheet = _ask_for_sheet(page, chart)
    _print_sheet(page, sheet)
    assert count_pages(page.pdf(format=paper)) == 2
    sheet = _ask_for_sheet(page, chart)
    sheet.get_by_label(TR("tools.sheet_grid"), exact=True).uncheck()
    _print_sheet(page, sheet)
    assert count_pages(page.pdf(format=paper)) == 1
    sheet = _ask_for_sheet(page, grid)
    _print_sheet(page, sheet)
    assert count_pages(page.pdf(format=paper)) == 1


def test_a_saved_page_prints_a_worksheet_of_its_map(browser, trace, tmp_path):
    file = trace.to_html().save(tmp_path / "maps.html")
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(f"{file.as_uri()}#layer=2&head=3")
    page.locator("[name=panel][value=lines]").check()
    expect(page.locator(".sheet button")).to_be_hidden()  # lines have no grid that can be filled in
    page.locator("[name=panel][value=map]").check()
    page.get_by_role("button", name=TR("tools.sheet_title"), exact=True).click()
    _check_worksheet(page, "I see a cat.", "Je vois un chat.")
    expect(page.locator(".large canvas").first).to_be_visible()
    page.close()


def test_the_one_file_prints_a_worksheet_of_the_sentence_that_was_typed(browser, tmp_path):
    file = tmp_path / "explorer.html"
    model = str(ROOT / "checkpoints" / "en-fr-small")
    assert one_file.main(["--checkpoint", model, "--out", str(file)]) == 0
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(f"{file.as_uri()}#sentence=It+rains&layer=2&head=1")
    translation = page.locator("#translation:not([aria-busy=true])")
    expect(translation).not_to_be_empty()
    page.get_by_role("button", name=TR("tools.sheet_title"), exact=True).click()
    _check_worksheet(page, "It rains", translation.text_content())
    page.close()


def test_a_worksheet_does_not_say_what_a_click_does(tab):
    _, grid = figures(tab, "explorer", GIVEN, 2)
    sheet = _print_sheet(tab.page, _ask_for_sheet(tab.page, grid))
    expect(sheet.locator(".legend")).to_have_text(TR("grid.signs"))
    end_printing(tab.page)
