"""Printed pages in detail: what shrinks, what stays together, and what is left out."""

import itertools
import re
from urllib.parse import quote
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import SCREEN, Visit, new_profile
from tests.browser.printing import INK, NARROWEST, WIDE, begin_printing, count_pages, end_printing
from tests.browser.taken import maps_in, take
from tests.browser.views import GIVEN, TINY, figures
from ui.text.translator import translator

pytestmark = [pytest.mark.browser, pytest.mark.layout]

TR = translator("en")
QKV = f"{TINY}&qkv.source=sentence"
GRANDMOTHER = "sentence=My+grandmother+bought+fresh+bread+before+the+shop+closed%2E"
# The texts that are partly beyond their picture.
CUT_TEXTS = """svg => [...svg.querySelectorAll("text")]
    .filter(text => text.getBoundingClientRect().right > svg.getBoundingClientRect().right)
    .map(text => text.textContent)"""


def test_maps_side_by_side_are_printed_with_the_names_of_their_columns(tab):
    [figure, *_] = figures(tab, "experiments", "show=pair&sentence=She+gave+him+the+book%2E", 2)
    begin_printing(tab.page)
    texts = figure.locator(".drawn svg text").all_text_contents()
    assert texts.count("gave") >= 3  # a column of each of the three maps
    end_printing(tab.page)


def test_a_table_below_a_figure_is_printed_below_its_charts(tab):
    [figure] = figures(tab, "cost", f"{TINY}&show=table", 1)
    on_screen = figure.locator(".stMarkdown table").inner_text()
    begin_printing(tab.page)
    table = figure.locator(".stMarkdown table")
    expect(table).to_be_visible()
    assert table.inner_text() == on_screen
    assert table.evaluate("table => getComputedStyle(table).backgroundImage") == "none"
    charts = figure.locator(".drawn > svg").bounding_box()
    assert charts["y"] + charts["height"] <= table.bounding_box()["y"]
    end_printing(tab.page)


def test_the_numbers_of_a_picture_beside_a_text_are_printed(tab):
    [figure] = figures(tab, "five_minutes", "step=6", 1)
    begin_printing(tab.page)
    texts = figure.locator(".drawn text").all_text_contents()
    numbers = [text for text in texts if re.fullmatch(r"1|[01]\.\d\d", text)]
    assert len(numbers) == 11 * 12 / 2  # each of 11 tokens sees itself and those before it
    assert figure.locator(".drawn > svg").bounding_box()["width"] == pytest.approx(680, abs=1)
    end_printing(tab.page)


@pytest.mark.parametrize(
    ("page", "link", "n_figures", "n_sheets"),
    [
        ("masks", f"{GRANDMOTHER}&show=forcing", 0, 2),
        ("explorer", f"{GRANDMOTHER}&panel=steps", 2, 2),
        ("from_rnn", "show=memory", 2, 2),
        ("from_rnn", "show=gates", 2, 2),
        ("experiments", f"{TINY}&show=untrained", 1, 2),
    ],
)
def test_the_texts_after_the_last_picture_are_on_its_sheet(tab, page, link, n_figures, n_sheets):
    figures(tab, page, link, n_figures)
    assert count_pages(tab.page.pdf(format="Letter")) == n_sheets


def test_a_caption_below_a_picture_is_not_printed_with_the_next_heading(tab):
    guess, _ = figures(tab, "experiments", f"{TINY}&show=ablations", 2)
    begin_printing(tab.page)
    below = guess.locator("xpath=..").locator("xpath=following-sibling::*[1]")
    expect(below).to_have_text(TR("experiments.guess_hint"))
    assert below.evaluate("part => getComputedStyle(part).breakAfter") == "auto"
    end_printing(tab.page)


def test_models_side_by_side_are_printed_one_below_the_other_with_their_captions(tab):
    link = "from_rnn?sentence=My+grandmother+bought+fresh+bread+before+the+shop+closed%2E"
    page = tab.open(link, first=".figure-bar")
    expect(page.get_by_text("log p =")).to_have_count(3)
    begin_printing(page)
    drawings = page.locator(".drawn svg")
    expect(drawings).to_have_count(3)
    for drawing in drawings.all():
        expect(drawing).to_contain_text("log p =")
        assert drawing.evaluate(CUT_TEXTS) == []
    expect(drawings.last).to_contain_text("rows are labelled")
    widths = [drawing.bounding_box()["width"] for drawing in drawings.all()]
    # a picture of the page's width, 680 pixels, may shrink to 0.6 if it then fits on the first page
    assert min(widths) >= 0.6 * 680
    end_printing(page)


def test_the_names_of_the_columns_are_printed_on_each_page(tab):
    figures(tab, "heads", "", 1)
    page = tab.page
    begin_printing(page)
    displays = "cells => cells.map(cell => getComputedStyle(cell).display)"
    names = page.locator(".st-key-heads-table thead button")
    # Chromium repeats the header on each page, but it paints no button there.
    assert set(names.evaluate_all(displays)) == {"contents"}
    end_printing(page)


def _shrinks_to(drawing: Locator) -> float:
    """Return the printed width of a drawing as a share of its own width."""
    return drawing.evaluate("svg => svg.getBoundingClientRect().width / svg.viewBox.baseVal.width")


def test_a_lesson_prints_its_matrix_large_and_without_its_slider(tab):
    [figure] = figures(tab, "positions", "show=matrix", 1)
    page = tab.page
    sliders = page.locator(".stSlider")
    expect(sliders.first).to_be_visible()
    begin_printing(page)
    drawing = figure.locator(".drawn svg")
    svg = drawing.evaluate("svg => new XMLSerializer().serializeToString(svg)")
    [matrix] = maps_in(ElementTree.fromstring(svg))
    assert matrix.width >= 0.75 * 680  # the rest of the width is for the labels
    assert _shrinks_to(drawing) >= 0.6  # the matrix may shrink to fit on the first page
    expect(sliders.locator("visible=true")).to_have_count(0)
    end_printing(page)


def test_a_lesson_prints_the_names_of_the_columns_of_its_matrices(tab):
    link = "sentence=My+grandmother+bought+fresh+bread+before+the+shop+closed%2E"
    [_, change] = figures(tab, "qkv", link, 2)
    begin_printing(tab.page)
    texts = change.locator(".drawn svg text").all_text_contents()
    assert texts.count("bread") == 2  # in the matrix before the change, and in the one after it
    end_printing(tab.page)


def test_a_printed_picture_has_the_same_edges_as_the_text_above_it(tab):
    [figure] = figures(tab, "masks", f"{TINY}&show=editor", 2)[:1]
    begin_printing(tab.page)
    drawing = figure.locator(".drawn svg")
    page, first = drawing.bounding_box(), drawing.locator("text").first.bounding_box()
    assert 0 <= first["y"] - page["y"] < 8  # pixels
    assert -1 <= first["x"] - page["x"] < 8
    # a number is beside its name
    metric = tab.page.locator(".stMetric").first
    name = metric.locator("[data-testid=stMetricLabel]").bounding_box()
    number = metric.locator("[data-testid=stMetricValue] p").bounding_box()
    assert number["x"] >= name["x"] + name["width"]
    assert number["y"] < name["y"] + name["height"]
    assert number["height"] > 20  # pixels
    end_printing(tab.page)


def test_a_chart_is_printed_and_saved_without_a_background_of_its_own(tab):
    [figure] = figures(tab, "heads", "", 1)
    page = tab.page
    ground = "svg => getComputedStyle(svg).backgroundColor"
    assert figure.locator("svg.marks").evaluate(ground) == "rgb(251, 251, 249)"
    assert b"rgb(251, 251, 249)" not in take(page, figure, "svg")
    begin_printing(page)
    fills = "svg => [...svg.querySelectorAll('rect')].map(rect => rect.getAttribute('fill'))"
    assert "rgb(251, 251, 249)" not in figure.locator(".drawn > svg").evaluate(fills)
    end_printing(page)


def test_a_long_calculation_is_printed_complete_and_above_what_follows_it(tab):
    page = tab.open("qkv?qkv.source=sentence&qkv.step=project", first=".figure-bar")
    worksheet = page.locator(".st-key-worksheet")
    assert worksheet.evaluate("box => box.scrollHeight > box.clientHeight")
    begin_printing(page)
    ends = worksheet.locator("code").bounding_box()
    heading = page.get_by_role("heading", name=TR("qkv.editor"), exact=True).bounding_box()
    assert ends["y"] + ends["height"] <= heading["y"]
    assert page.evaluate(WIDE, NARROWEST) == []
    end_printing(page)


def test_charts_side_by_side_stay_so_on_paper_if_they_fit(tab):
    [figure] = figures(tab, "cost", f"{TINY}&show=table", 1)
    begin_printing(tab.page)
    drawing = figure.locator(".drawn > svg")
    expect(drawing).to_have_count(1)
    edges = "svg => ['x', 'width'].map(name => Number(svg.getAttribute(name)))"
    charts = [chart.evaluate(edges) for chart in drawing.locator("svg").all()]
    assert len(charts) == 3
    for (x, width), (next_x, _) in itertools.pairwise(charts):
        assert x + width <= next_x
    assert sum(charts[-1]) - charts[0][0] <= 680
    end_printing(tab.page)
    expect(tab.page.locator("[data-beside]")).to_have_count(0)


def test_matrices_one_below_the_other_keep_their_size_and_can_be_on_two_pages(tab):
    drawn = figures(tab, "experiments", "show=pair&sentence=She+gave+him+the+book%2E", 2)
    begin_printing(tab.page)
    for figure, n_rows in zip(drawn, (3, 4), strict=True):  # number of matrices
        pieces = figure.locator(".drawn > svg")
        expect(pieces).to_have_count(n_rows)
        for piece in pieces.all():
            assert _shrinks_to(piece) >= 0.9
            assert piece.evaluate("svg => getComputedStyle(svg).breakInside") == "avoid"
    end_printing(tab.page)


def test_a_wide_tree_is_cut_into_pieces_that_fit_on_the_paper(tab):
    more = "and my brother sees a very old dog and three small birds in the garden"
    link = f"{GIVEN.replace('tiny', 'en-fr')}&panel=beam".replace("cat.", f"cat {quote(more)}.")
    [tree, _] = figures(tab, "explorer", link, 2)
    begin_printing(tab.page)
    pieces = tree.locator(".drawn > svg")
    assert pieces.count() > 1
    boxes = pieces.evaluate_all(
        "all => all.map(svg => [svg.viewBox.baseVal.x, svg.clientWidth, svg.viewBox.baseVal.width])"
    )
    title, *strips, facts = boxes
    assert title == facts == [0, 680, 680]
    assert max(shown for _, shown, _ in strips) <= 680
    shares = [shown / drawn for _, shown, drawn in strips]
    assert shares == pytest.approx([shares[0]] * len(shares), abs=0.01)
    assert shares[0] > 0.84
    # a strip begins where the one before ends
    assert [x for x, *_ in strips[1:]] == pytest.approx([x + drawn for x, _, drawn in strips[:-1]])
    end_printing(tab.page)


def test_every_piece_of_a_wide_chart_has_its_vertical_axis_and_its_legend(tab):
    tab.page.set_viewport_size({"width": 2400, "height": 1000})
    [_, gates] = figures(tab, "from_rnn", "show=gates&sentence=I+see+a+cat%2E", 2)
    begin_printing(tab.page)
    _, *others, facts = gates.locator(".drawn > svg").all()
    assert others
    assert "facts" in facts.get_attribute("class")
    for piece in others:
        views = piece.locator("svg").all()
        # the left of the chart, where the axis is; a part of the chart beside it; and the legend
        boxes = [[float(n) for n in view.get_attribute("viewBox").split()] for view in views]
        axis, chart, legend = boxes
        assert axis[0] == 0 < axis[2] < chart[0]
        places = [float(view.get_attribute("x")) for view in views]
        assert places == [0, axis[2] + 4, legend[0]]
        assert legend[0] + legend[2] <= 680  # it is whole
    shares = gates.locator(".drawn > svg").evaluate_all(
        "all => all.map(svg => svg.clientWidth / svg.viewBox.baseVal.width)"
    )
    assert min(shares) > 0.84  # small letters could not be read
    end_printing(tab.page)


def test_a_table_with_a_column_for_each_token_is_transposed_if_it_is_wider_than_the_paper(tab):
    link = "sentence=My+grandmother+bought+fresh+bread+before+the+shop+closed%2E&panel=logit_lens"
    [lens, _] = figures(tab, "explorer", link, 2)
    rows = lens.locator(".token-table tr").count()
    begin_printing(tab.page)
    assert lens.locator(".token-table[data-turned]").count() == 1
    drawing = lens.locator(".drawn > svg").first
    assert _shrinks_to(drawing) >= 0.9
    names = drawing.locator("text", has_text=re.compile(r"^Layer \d$"))
    tops = {round(name.bounding_box()["y"]) for name in names.all()}
    assert (names.count(), len(tops)) == (rows - 1, 1)  # the layers are now columns
    end_printing(tab.page)
    expect(tab.page.locator("[data-turned]")).to_have_count(0)


def test_a_draft_is_cut_between_its_lines_and_not_within_one(tab):
    sentence = "The animal did not cross the street because it was too tired, and so did we"
    link = f"show=draft&sentence={sentence}, {sentence.lower()}, {sentence.lower()}."
    [draft] = figures(tab, "cost", link, 1)
    begin_printing(tab.page)
    tokens = draft.locator(".drawn text[font-size='14']")
    heights = sorted(
        tokens.evaluate_all("texts => texts.map(text => Number(text.attributes.y.value))")
    )
    n_rows = 1 + sum(below - above > 5 for above, below in itertools.pairwise(heights))
    n_pieces = draft.locator(".drawn > svg").count()
    assert n_pieces > 2
    assert n_rows == 3 * n_pieces  # draft, answers and result
    end_printing(tab.page)


def test_a_tall_picture_shrinks_to_the_rest_of_the_first_page(tab):
    link = "sentence=My+grandmother+bought+fresh+bread+before+the+shop+closed%2E&panel=lines"
    [lines, _] = figures(tab, "explorer", link, 2)
    begin_printing(tab.page)
    drawing = lines.locator(".drawn > svg").bounding_box()
    start = tab.page.locator(".stMainBlockContainer").bounding_box()["y"]
    assert 900 < drawing["y"] + drawing["height"] - start <= 960
    end_printing(tab.page)


@pytest.mark.parametrize(
    ("page", "link", "n", "parts", "rule"),
    [
        (  # a text and its picture
            "qkv",
            QKV,
            2,
            ":has(> .st-key-qkv-story), .stElementContainer:has(.framed)",
            "breakAfter",
        ),
        ("masks", f"{TINY}&show=editor", 2, ".stMetric", "breakInside"),  # a number and its label
        ("masks", f"{TINY}&show=editor", 2, "[data-last]", "breakBefore"),  # the end of the page
        (  # the last piece of code is not alone
            "masks",
            f"{TINY}&show=editor",
            2,
            ".st-key-lesson-code > :nth-last-child(3)",
            "breakBefore",
        ),
        ("masks", f"{TINY}&show=sources", 0, "[class*=st-key-card-]", "breakInside"),  # a frame
    ],
)
def test_no_page_break_separates_parts_that_belong_together(tab, page, link, n, parts, rule):
    figures(tab, page, link, n)
    begin_printing(tab.page)
    shown = tab.page.locator(parts)
    assert shown.count()
    rules = "(parts, rule) => parts.map(part => getComputedStyle(part)[rule])"
    assert set(shown.evaluate_all(rules, rule)) == {"avoid"}
    end_printing(tab.page)


@pytest.mark.parametrize(
    ("path", "n", "hint", "kept"),
    [
        (f"explorer?{GIVEN}", 2, "grid.hint_signs", "grid.signs"),
        (f"qkv?{QKV}", 2, "qkv.click", "qkv.outlined"),
        (f"norms?{TINY}&show=stream", 1, "norms.click", "norms.caption_norm"),
        (f"experiments?{TINY}", 2, "experiments.question_click", "experiments.title_guess"),
    ],
)
def test_hints_about_clicks_are_not_printed(tab, path, n, hint, kept):
    page, _, link = path.partition("?")
    figures(tab, page, link, n)
    printed = tab.page.locator(".stMainBlockContainer")
    expect(tab.page.locator(".hint").first).to_be_visible()
    begin_printing(tab.page)
    expect(tab.page.locator(".hint:visible")).to_have_count(0)
    on_paper = " ".join(printed.inner_text().split())
    on_paper += " ".join(tab.page.locator(".drawn text:visible").all_text_contents())
    assert TR(kept) in on_paper
    assert TR(hint) not in on_paper
    assert "click" not in on_paper.lower()
    end_printing(tab.page)


def test_work_that_still_runs_is_printed_with_its_progress(tab):
    page = tab.open(f"cost?{TINY}&show=timing", first=".st-key-cost-measure")
    page.locator(".st-key-cost-measure").get_by_role("button").click()
    progress = page.locator(".stProgress")
    progress.wait_for()
    begin_printing(page)
    expect(progress.get_by_text(re.compile(r"Working: \d+ of 40"))).to_be_visible()
    expect(progress.get_by_role("progressbar")).to_be_hidden()
    end_printing(page)


def test_the_frame_of_a_chosen_map_at_the_edge_is_whole(tab):
    _, grid, _ = figures(tab, "learning", "checkpoint=en-fr-small&layer=1&head=4", 3)
    begin_printing(tab.page)
    drawing = grid.locator(".drawn > svg")
    edges = "svg => [...svg.querySelectorAll('rect')].map(r => r.getBoundingClientRect().right)"
    reach = max(drawing.evaluate(edges))
    right = drawing.evaluate("svg => svg.getBoundingClientRect().right")
    assert right < reach < right + 4
    assert drawing.evaluate("svg => getComputedStyle(svg).overflow") == "visible"
    # what plays the pictures is outside the page, and has no room on paper
    player = tab.page.locator(".stEvent")
    assert player.evaluate("node => getComputedStyle(node).display") == "none"
    end_printing(tab.page)


@pytest.mark.parametrize(
    ("page", "link", "box"),
    [
        ("qkv", QKV, ".st-key-lesson-try"),
        ("learning", "show=laboratory", ".st-key-laboratory-try"),
    ],
)
def test_what_to_try_in_the_app_is_not_printed(tab, page, link, box):
    tab.open(f"{page}?{link}&lang=en")
    tried = tab.page.locator(box).first
    expect(tried).to_be_visible()
    begin_printing(tab.page)
    expect(tried).to_be_hidden()
    end_printing(tab.page)


@pytest.mark.parametrize(
    ("path", "n", "parts"),
    [
        ("heads?checkpoint=en-fr", 1, ".stTable td, .st-key-heads-table thead th"),
        (f"qkv?{QKV}", 2, ".stCode pre, .stCode code"),
        (f"masks?{TINY}&show=editor", 2, ".stMetric :is(p, div):not(:has(*))"),
        (f"explorer?{GIVEN}&explorer.reading=True", 2, "summary, summary p, .stExpander p code"),
    ],
)
def test_a_dark_page_prints_dark_letters_on_a_light_background(tab, path, n, parts):
    page = tab.page
    page.emulate_media(color_scheme="dark")
    name, _, link = path.partition("?")
    figures(tab, name, link, n)
    begin_printing(page)
    shown = page.locator(parts)
    assert shown.count() > 1
    colours = """parts => parts.map(part => {
        const { color, backgroundColor } = getComputedStyle(part);
        return `${color} ${backgroundColor}`;
    })"""
    assert set(shown.evaluate_all(colours)) == {f"{INK} rgba(0, 0, 0, 0)"}
    end_printing(page)


def test_a_dark_page_prints_light_maps_in_the_table_of_heads(tab):
    page = tab.open("masks", first="canvas")
    page.emulate_media(color_scheme="dark")
    # The server draws these maps: the page tells it its colours when it asks for another page.
    page.wait_for_function(
        "() => getComputedStyle(document.querySelector('.stApp')).colorScheme === 'dark'"
    )
    figures(tab, "heads", "checkpoint=en-fr", 1)
    maps = page.locator(".st-key-heads-table tbody tr").first.locator("img:visible")
    expect(maps).to_have_count(1)
    on_screen = maps.get_attribute("src")
    begin_printing(page)
    expect(maps).to_have_count(1)
    assert maps.get_attribute("src") != on_screen
    end_printing(page)


def test_a_dark_page_prints_the_small_maps_of_the_gallery_in_light_colours(browser, address):
    sources = []
    for scheme in ("light", "dark"):
        page = new_profile(browser, color_scheme=scheme, viewport=SCREEN).new_page()
        figures(Visit(page, address), "gallery", "", 0)
        begin_printing(page)
        maps = page.locator(".exhibit img:visible")
        sources.append([image.get_attribute("src") for image in maps.all()])
        page.context.close()
    light, dark = sources
    assert light == dark
    assert light


def test_a_heading_with_a_unit_is_the_title_of_its_figure(visit):
    figures(visit, "learning", "show=laboratory", 3)
    heading = visit.page.locator(".st-key-laboratory-accuracy h2").inner_text()
    begin_printing(visit.page)
    printed = visit.page.locator(
        ".st-key-laboratory-accuracy .drawn > svg text"
    ).all_text_contents()
    end_printing(visit.page)
    assert heading.startswith("Accuracy ")
    assert "Accuracy" not in printed


def test_nothing_after_the_last_sentence_makes_another_page(visit):
    figures(visit, "learning", "show=laboratory", 3)
    curve = visit.page.locator(".st-key-figure-laboratory_accuracy .mark-line path").first
    curve.hover(force=True)
    tooltip = visit.page.locator("#vg-tooltip-element")
    tooltip.wait_for(state="attached")
    begin_printing(visit.page)
    assert tooltip.evaluate("tooltip => getComputedStyle(tooltip).display") == "none"
    gaps = visit.page.locator("[data-last]").evaluate_all(
        """parts => parts.map(part => {
            const bottoms = [part.closest(".stApp"), part].map(
                (each) => each.getBoundingClientRect().bottom,
            );
            return bottoms[0] - bottoms[1];
        })"""
    )
    assert gaps == [0]
    end_printing(visit.page)
    expect(visit.page.locator("[data-last]")).to_have_count(0)


def test_the_heading_of_a_printed_page_has_a_line_below_the_name_of_the_app(tab):
    page = tab.open("many", first="h1")
    begin_printing(page)
    brand = page.locator(".brand").bounding_box()
    heading = page.locator(".st-key-menu h1")
    box = heading.bounding_box()
    assert box["y"] >= brand["y"] + brand["height"]
    assert box["x"] == pytest.approx(brand["x"], abs=1)
    sizes = "parts => parts.map(part => parseFloat(getComputedStyle(part).fontSize))"
    name, title = page.locator(".brand, .st-key-menu h1").evaluate_all(sizes)
    assert title > name
    assert heading.evaluate("h1 => getComputedStyle(h1).color") == INK
    end_printing(page)


def test_the_table_of_many_sentences_fits_on_paper(tab):
    figures(tab, "many", "checkpoint=en-fr", 1)
    page = tab.page
    begin_printing(page)
    expect(page.locator(".printed-table")).to_be_visible()
    assert page.evaluate(WIDE, NARROWEST) == []
    end_printing(page)


def test_the_heads_of_many_sentences_are_printed_with_their_names_and_numbers(tab):
    [figure] = figures(tab, "many", "checkpoint=en-fr", 1)
    begin_printing(tab.page)
    texts = figure.locator(".drawn text").all_text_contents()
    name = TR("experiments.row.cross", n=4)
    assert texts.count(name) == texts.count("8") == 2
    assert len([text for text in texts if re.fullmatch(r"[−]?0\.\d\d", text)]) == 2 * 96
    end_printing(tab.page)


def test_the_gallery_prints_each_map_beside_its_text_and_no_question_for_a_file(tab):
    page = tab.page
    figures(tab, "gallery", "", 0)
    own = page.locator(".st-key-own-examples")
    expect(own).to_be_visible()
    begin_printing(page)
    expect(own).to_be_hidden()
    for card in page.locator(".stHtml:has(> figure.exhibit)").all():
        text, example = (card.locator(part).bounding_box() for part in (".look", "figure"))
        assert text["x"] + text["width"] <= example["x"]
        assert example["y"] == pytest.approx(card.bounding_box()["y"], abs=1)
    assert page.evaluate(WIDE, NARROWEST) == []
    end_printing(page)


def test_the_text_below_a_scene_is_not_printed_with_the_next_heading(tab):
    scene, _ = figures(tab, "explorer", f"{GIVEN}&panel=space", 2)
    begin_printing(tab.page)
    below = scene.locator("xpath=../following-sibling::*[1]")
    expect(below.locator(".guide")).to_be_visible()
    expect(below).to_have_css("break-after", "auto")
    end_printing(tab.page)


def test_a_low_chart_has_at_least_two_numbers_at_its_vertical_axis(tab):
    [figure] = figures(tab, "scaling", f"{GRANDMOTHER}&show=temperature", 1)
    charts = figure.locator("svg.marks")
    expect(charts).to_have_count(3)
    for chart in charts.all():
        axes = chart.locator(".role-axis-label").all()
        numbers = [axis.locator("text").all_text_contents() for axis in axes]
        assert min(map(len, numbers)) >= 2  # of both axes
