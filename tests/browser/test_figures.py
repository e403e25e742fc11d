"""A figure is saved as a picture of twice the size or as numbers, or its texts are copied."""

import io
import json
import re
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from model.pictures.colours import COLOURS
from tests.browser.conftest import Tab, painted, place_of
from tests.browser.taken import SVG, maps_in, take, tool_button
from tests.browser.views import GIVEN, figures
from ui.text.translator import translator

pytestmark = pytest.mark.browser

TR = translator("en")
ONE = f"{GIVEN}&view=head&layer=1&head=2"
_WITHOUT_WEBGL = """{
    const { getContext } = HTMLCanvasElement.prototype;
    HTMLCanvasElement.prototype.getContext = function (kind, ...others) {
        return kind.includes("webgl") ? null : getContext.call(this, kind, ...others);
    };
}"""


def _whole(svg: bytes) -> tuple[str | None, list[tuple[str, str | None]]]:
    """Return the size of a picture, and tag and text of each of its elements."""
    drawing = ElementTree.fromstring(svg)
    return drawing.get("viewBox"), [(part.tag, part.text) for part in drawing.iter()]


# The text of each cell, and the distance in pixels from the outer edge of its outline to the
# baseline of its first line.
_LINES = """cells => cells.map(cell => {
    const mark = document.createElement("span");
    mark.style.display = "inline-block"; // without text it stands on the line
    cell.prepend(mark);
    const line = mark.getBoundingClientRect().bottom - cell.getBoundingClientRect().top;
    mark.remove();
    return [cell.textContent, line + 1];
})"""


@pytest.fixture(scope="module")
def map_and_grid(shared_visit) -> list[Locator]:
    return figures(shared_visit, "explorer", ONE, 2)


def test_saved_pictures_and_numbers_are_those_of_the_map_and_of_the_grid(map_and_grid, trace):
    chart, grid = map_and_grid
    page = chart.page
    svg = take(page, chart, "svg")
    drawing = ElementTree.fromstring(svg)
    width, height = (int(drawing.get(n)) for n in ("width", "height"))
    assert drawing.get("viewBox") == f"0 0 {width} {height}"
    picture = Image.open(io.BytesIO(take(page, chart, "png"))).convert("RGBA")
    assert picture.size == (2 * width, 2 * height)
    # the background begins in the corner, so nothing is shifted
    assert picture.getpixel((0, 0))[3] == 255
    assert len(picture.convert("RGB").getcolors(1 << 24)) > 20
    # the table of the map, which is not in the picture
    chart.locator("summary", has_text=TR("grid.table")).click()
    assert _whole(take(page, chart, "svg")) == _whole(svg)
    # the grid is painted: each map is there once, at its position, in its own size
    svg = take(page, grid, "svg")
    drawing = ElementTree.fromstring(svg)
    images = maps_in(drawing)
    assert len(images) == 8  # two layers, each with three heads and their mean
    turned = [part for part in drawing.iter(f"{SVG}text") if part.get("transform")]
    assert [part.text for part in turned] == [TR("grid.layer_number", n=n) for n in (1, 2)]
    # the text runs upwards
    assert all(part.get("transform").startswith("rotate(-90 ") for part in turned)
    places = [(image.y, image.x) for image in images]
    assert places == sorted(places)
    [scale] = re.findall(r"scale\(([\d.]+)\)", svg.decode())  # scale of the canvas
    assert float(scale) == pytest.approx(1, abs=0.01)
    tile = place_of(page.locator(".tile").first)
    for image in images:
        assert [image.width, image.height] == pytest.approx([tile["width"], tile["height"]], abs=1)
    rows, columns = trace.cross.shape[2:]
    maps = np.concatenate((trace.cross, trace.cross.mean(axis=1, keepdims=True)), axis=1)
    for image, weights in zip(images, maps.reshape(8, rows, columns), strict=True):
        assert image.colours.shape == (rows, columns, 3)
        for row, column in ((0, 0), (1, 3), (rows - 1, columns - 1)):
            code = COLOURS["light"].of(int(weights[row, column] * 65535 + 0.5) // 256 / 255)
            expected = [int(code[n : n + 2], 16) for n in (1, 3, 5)]
            np.testing.assert_allclose(image.colours[row, column], expected, atol=3)
    # the numbers; tests/ui checks that they are right
    content = json.loads(take(page, chart, "json"))
    assert (content["checkpoint"], content["layer"], content["head"]) == ("tiny", 1, 2)
    assert take(page, chart, "csv").count(b"\n") == 1 + len(trace.next_tokens)


def test_a_figure_that_is_saved_while_it_is_redrawn_is_complete(tab):
    step, _ = figures(tab, "explorer", f"{ONE}&panel=steps", 2)
    before = _whole(take(tab.page, step, "svg"))
    # words that fit are not cut
    assert set(step.locator(".candidates bdi").all_inner_texts()) <= {text for _, text in before[1]}
    step.evaluate(
        """figure => {
            const style = document.createElement("style");
            const parts = ".stVegaLiteChart, .stHeading, .stMarkdown, .stHtml, .stBidiComponent";
            style.textContent = `:is(${parts}):not(:has(.figure-bar)) { display: none }`;
            figure.append(style);
            setTimeout(() => style.remove(), 500);
        }"""
    )
    assert _whole(take(tab.page, step, "svg")) == before


def test_matrices_cut_into_heads_and_html_tables_are_in_the_saved_picture(tab):
    page = tab.page
    link = "qkv.source=classroom&attention=cross&qkv.step=transpose"
    [figure, *_] = figures(tab, "qkv", link, 2)
    drawing = ElementTree.fromstring(take(page, figure, "svg"))
    images = maps_in(drawing)
    assert len(images) == 3  # two heads of q, and the first head alone
    first, second, alone = (image.colours for image in images)
    assert not np.array_equal(first, second)
    assert first.shape == second.shape == alone.shape
    assert np.array_equal(first, alone)
    texts = [part.text for part in drawing.iter(f"{SVG}text")]
    for word in ("q", "De", "rien", "1", "2", "→"):
        assert word in texts
    # an HTML table: the backgrounds of its cells in their colours, its words at their positions
    sentence = "The+old+man+and+his+dog+go+to+the+house+near+the+sea."
    [figure, *_] = figures(tab, "explorer", f"sentence={sentence}&panel=logit_lens", 2)
    drawing = ElementTree.fromstring(take(page, figure, "svg"))
    grounds = page.locator(".token-table td").evaluate_all(
        "all => all.map((cell) => getComputedStyle(cell).backgroundColor)"
    )
    shown = [part.get("fill") for part in drawing.iter(f"{SVG}rect")]
    solid = [re.sub(r"\s", "", ground) for ground in grounds if ground.startswith("rgb(")]
    assert len(shown) > len(grounds) / 2
    assert set(solid) <= {re.sub(r"\s", "", fill or "") for fill in shown}
    frames = [part for part in drawing.iter(f"{SVG}rect") if part.get("stroke-width") == "2"]
    assert len(frames) == page.locator("td.right").count() > 0  # the right word has an outline
    # the baseline of each word is where it is in its cell on the page
    parts = [*drawing.iter()]
    on_the_page = page.locator(".token-table td.right").evaluate_all(_LINES)
    for frame, (text, line) in zip(frames, on_the_page, strict=True):
        written = next(part for part in parts[parts.index(frame) :] if part.tag == f"{SVG}text")
        assert written.text in text
        assert float(written.get("y")) - float(frame.get("y")) == pytest.approx(line, abs=1)
    # on a narrow screen the table scrolls, and the picture still has all of it
    page.set_viewport_size({"width": 660, "height": 640})
    wide = page.locator(".token-table").evaluate("table => table.scrollWidth")
    assert wide > 660
    assert float(ElementTree.fromstring(take(page, figure, "svg")).get("width")) > wide


def test_a_copy_has_the_picture_and_its_caption(map_and_grid):
    figure, _ = map_and_grid
    page = figure.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    button = tool_button(figure, "copy")
    expect(button).to_be_visible()  # a button that is not drawn yet takes no key
    button.focus()
    expect(button).to_be_focused()
    page.keyboard.press("Enter")
    expect(button).to_have_text(TR("tools.copied"))
    kinds = page.evaluate(
        "navigator.clipboard.read().then(items => items.flatMap(item => item.types))"
    )
    assert set(kinds) == {"image/png", "text/plain"}
    text = page.evaluate("navigator.clipboard.readText()")
    assert text.startswith(figure.locator(".figure-bar").get_attribute("data-title"))
    # if a picture cannot be copied, the button says so for a moment
    page.evaluate("delete Navigator.prototype.clipboard")  # a page without https has no clipboard
    expect(button).to_have_text(TR("take.copy"))
    button.click()
    expect(button).to_have_text(TR("tools.no_copy"))
    expect(button).to_have_text(TR("take.copy"))


def test_controls_are_in_no_picture_and_every_program_knows_its_attributes(tab):
    """The lines are saved without the buttons of the heads and without the slider."""
    page = tab.page
    [lines, _] = figures(tab, "explorer", f"{GIVEN}&panel=lines", 2)
    drawing = ElementTree.fromstring(take(page, lines, "svg"))
    texts = {part.text for part in drawing.iter(f"{SVG}text")}
    assert {"Je", "<eos>"} <= texts
    assert not {TR("lines.least"), TR("lines.all")} & texts
    # a chart with a slider: its label is also the title of an axis
    [waves, _] = figures(tab, "positions", "show=waves", 2)
    expect(waves.locator(".vega-bindings")).to_contain_text(TR("positions.position"))
    drawing = ElementTree.fromstring(take(page, waves, "svg"))
    assert [part.text for part in drawing.iter(f"{SVG}text")].count(TR("positions.position")) == 1
    # the figure of the architecture: numbers without units, and no attribute for baselines
    [machine] = figures(tab, "architecture", GIVEN, 1)
    svg = take(page, machine, "svg").decode()
    drawing = ElementTree.fromstring(svg)
    labels = [part.text for part in drawing.iter(f"{SVG}text")]
    assert labels.count(TR("architecture.part_memory")) == 1
    assert "dominant-baseline" not in svg
    assert not re.search(r'="[\d.]+px', svg)
    weights = set(re.findall(r'font-weight="(\d+)"', svg))
    assert all(int(weight) % 100 == 0 for weight in weights)
    for circle in drawing.iter(f"{SVG}circle"):
        assert circle.get("fill"), "it would be black"


# Firefox's resistFingerprinting, LibreWolf and Tor give noise to a script that reads a canvas.
_GUARD = """() => {
  const noisy = (image) => { crypto.getRandomValues(image.data); return image; };
  for (const Brush of [CanvasRenderingContext2D, OffscreenCanvasRenderingContext2D]) {
    const read = Brush.prototype.getImageData;
    Brush.prototype.getImageData = function (...box) { return noisy(read.apply(this, box)); };
  }
  HTMLCanvasElement.prototype.toDataURL = () => "data:,noise";
}"""


def test_a_browser_that_adds_noise_to_canvases_saves_true_pictures_or_says_why_it_cannot(visit):
    chart, grid = figures(visit, "explorer", ONE, 2)
    page = visit.page
    true = take(page, grid, "svg")
    page.evaluate(_GUARD)
    assert _whole(take(page, grid, "svg")) == _whole(true)
    guarded = maps_in(ElementTree.fromstring(take(page, grid, "svg")))
    for saved, expected in zip(guarded, maps_in(ElementTree.fromstring(true)), strict=True):
        assert np.array_equal(saved.colours, expected.colours)
    for kind in ("png", "copy"):
        tool_button(chart, kind).click()
        expect(chart.locator(".notice")).to_have_text(TR("tools.guarded"))
        take(page, chart, "svg")  # the format that the message recommends
        expect(chart.locator(".notice")).to_have_count(0)


def _saved_in(theme: str, tab: Tab) -> tuple[Page, Locator]:
    """Open the explorer in a theme; return the page and its large map."""
    page = tab.page
    page.emulate_media(color_scheme=theme)
    chart, _ = figures(tab, "explorer", ONE, 2)
    ground = page.locator(".stApp").evaluate("app => getComputedStyle(app).backgroundColor")
    assert ground == {"light": "rgb(251, 251, 249)", "dark": "rgb(20, 22, 28)"}[theme]
    return page, chart


def test_a_figure_is_saved_on_white_and_alike_in_both_themes(tab):
    saved = {}
    for theme in ("light", "dark"):
        page, chart = _saved_in(theme, tab)
        saved[theme] = take(page, chart, "svg")
    light, dark = (ElementTree.fromstring(svg) for svg in saved.values())
    assert dark.find(f"{SVG}rect").get("fill") == "rgb(255, 255, 255)"
    paints = [
        [(p.tag, p.get("fill"), p.get("stroke")) for p in svg.iter()] for svg in (light, dark)
    ]
    assert paints[0] == paints[1]
    assert page.locator("html[data-for-file], html[data-dark]").count() == 0


def test_a_chart_of_the_dark_theme_is_saved_in_light_colours(tab):
    tab.page.emulate_media(color_scheme="dark")
    [chart, _] = figures(tab, "cost", "show=memory", 2)
    svg = take(tab.page, chart, "svg").decode()
    fills = set(re.findall(r'(?:fill|stroke)="([^"]*)"', svg))
    dark = {"#e6eaf1", "#31333F", "rgb(20, 22, 28)", "#14161c", "currentColor", "#5bb8f0"}
    assert not fills & dark
    assert COLOURS["light"].ink == "#1b1d23"
    assert "rgb(27, 29, 35)" in fills  # the same, as a browser writes it


def test_the_caption_is_in_each_saved_file_and_can_be_copied(map_and_grid):
    figure, _ = map_and_grid
    page = figure.page
    caption = figure.locator(".caption").text_content()
    assert caption.startswith("Cross-attention · layer 1 · head 2.")
    drawing = ElementTree.fromstring(take(page, figure, "svg"))
    assert drawing.find(f"{SVG}desc").text == caption
    assert caption not in [text.text for text in drawing.iter(f"{SVG}text")]
    png = Image.open(io.BytesIO(take(page, figure, "png")))
    png.load()
    assert png.text["Description"] == caption
    assert png.text["Title"] == drawing.find(f"{SVG}title").text
    assert caption.split(".")[0].encode("utf-16-be").hex().upper().encode() in take(
        page, figure, "pdf"
    )
    # A browser lets only the page with the focus write to its clipboard.
    own = "{ value: { writeText: async (text) => { window.copied = text; } } }"
    page.evaluate(f"Object.defineProperty(navigator, 'clipboard', {own})")
    for kind in ("caption", "python"):
        text = figure.locator(f".figure-bar .take .{kind}").text_content()
        tool_button(figure, kind).click()
        expect(tool_button(figure, kind)).to_have_text(TR("tools.copied"))
        assert page.evaluate("window.copied") == text


def test_a_label_that_is_cut_on_the_page_is_complete_in_the_file(tab):
    word = "abcdefghijklmnop" * 3
    link = f"checkpoint=tiny&sentence={word}&target=Je&unit=words&view=head"
    chart, _ = figures(tab, "explorer", link, 2)
    labels = painted(chart.locator("canvas").first)["texts"]
    assert any("…" in str(label) for label in labels)
    drawing = ElementTree.fromstring(take(tab.page, chart, "svg"))
    assert word in [text.text for text in drawing.iter(f"{SVG}text")]


def test_a_saved_pdf_contains_words_as_text(map_and_grid):
    pytest.importorskip("typst")  # with which the server makes the PDF; see requirements.txt
    figure, grid = map_and_grid
    # the first figure again: each request must use the button of its own figure
    for each in (figure, grid, figure):
        pdf = take(figure.page, each, "pdf")
        assert pdf.startswith(b"%PDF-")
        assert b"/ToUnicode" in pdf


def test_the_parts_of_a_sentence_keep_their_widths_in_another_font(tab):
    """Otherwise a program that has other fonts shows gaps around a bold word."""
    [figure, _] = figures(tab, "experiments", f"{GIVEN}&show=contrast", 2)
    drawing = ElementTree.fromstring(take(tab.page, figure, "svg"))
    parts = [text for text in drawing.iter(f"{SVG}text") if text.get("textLength")]
    assert len(parts) >= 3  # the text before the bold word, the bold word, the text after it
    for part, following in pairwise(parts):
        if part.get("y") == following.get("y"):
            end = float(part.get("x")) + float(part.get("textLength"))
            assert 0 <= float(following.get("x")) - end < float(part.get("font-size"))


def test_the_shape_of_a_matrix_begins_under_the_title_that_is_its_name(tab):
    [mask, _] = figures(tab, "masks", f"{GIVEN}&show=editor", 2)
    drawing = ElementTree.fromstring(take(tab.page, mask, "svg"))
    texts = " ".join(text.text for text in drawing.iter(f"{SVG}text"))
    assert texts.replace("  ", " ").count(TR("masks.mask")) == 1  # the title of the figure
    [shape] = [
        text for text in drawing.iter(f"{SVG}text") if re.fullmatch(r"\(\d+,\s\d+\)", text.text)
    ]
    others = [text for text in drawing.iter(f"{SVG}text") if text.get("text-anchor") == "end"]
    assert float(shape.get("x")) < min(float(text.get("x")) for text in others)  # names of rows
    expect(mask.locator("figcaption strong")).to_be_visible()  # on the page it has its name again


def test_below_saved_ribbons_there_is_no_empty_band(tab):
    """On the page there is room for the candidates of a token; a file has none."""
    [ribbons] = figures(tab, "", GIVEN, 1)
    drawing = ElementTree.fromstring(take(tab.page, ribbons, "svg"))
    facts = [float(text.get("y")) for text in drawing.iter(f"{SVG}text") if text.get("opacity")]
    # the picture is moved down below the title, and its part up to the top of the picture
    picture, part = [*drawing.iter(f"{SVG}g")][:2]
    moved = [re.fullmatch(r"translate\(\S+ (\S+)\)", g.get("transform")) for g in (picture, part)]
    words = [float(text.get("y")) for text in part.iter(f"{SVG}text")]
    lowest = sum(float(match[1]) for match in moved) + max(words)
    assert 0 < min(facts) - lowest < 70


def _needs_webgl(page: Page) -> None:
    if not page.evaluate("document.createElement('canvas').getContext('webgl') !== null"):
        pytest.skip("This browser has no WebGL")


def test_a_scene_in_three_dimensions_is_saved_whole(tab):
    _needs_webgl(tab.page)
    [helix] = figures(tab, "positions", "show=helix", 1)
    drawing = ElementTree.fromstring(take(tab.page, helix, "svg"))
    [image] = drawing.iter(f"{SVG}image")
    room = float(drawing.get("height")) - float(image.get("height"))
    assert 0 < room < 200  # for the title and the description
    png = Image.open(io.BytesIO(take(tab.page, helix, "png")))
    assert png.size == (2 * int(drawing.get("width")), 2 * int(drawing.get("height")))


def test_a_browser_without_webgl_says_in_the_language_of_the_page_that_it_has_no_scenes(visit):
    visit.page.add_init_script(_WITHOUT_WEBGL)
    page = visit.open("positions?show=helix&lang=zh", first=".no-webgl")
    sentence = page.locator(".no-webgl p")
    shown = sentence.evaluate("sentence => getComputedStyle(sentence, '::after').content")
    assert shown == f'"{translator("zh")("tools.no_webgl")}"'
    expect(sentence).to_be_hidden()  # the English sentence of the library
    box = page.locator(".no-webgl")
    expect(box).to_have_css("pointer-events", "none")  # a click would open a foreign page
    ground = page.locator(".stApp").evaluate("app => getComputedStyle(app).backgroundColor")
    expect(box).to_have_css("background-color", ground)


def test_the_names_of_the_axes_of_a_scene_are_not_cut_at_its_sides(tab):
    _needs_webgl(tab.page)
    link = "checkpoint=en-zh&sentence=The+old+man+sleeps+in+the+garden.&panel=space"
    scene, _ = figures(tab, "explorer", link, 2)
    png = Image.open(io.BytesIO(take(tab.page, scene, "png"))).convert("L")
    middle = np.asarray(png)[250:930]  # without the title and the description
    margin = 2 * 24  # pixels
    for side in (middle[:, margin : margin + 10], middle[:, -margin - 10 : -margin]):
        assert side.min() > 245  # the background


def test_an_explanation_with_a_formula_is_in_the_saved_picture(tab):
    [ways] = figures(tab, "positions", "show=contrast", 1)
    drawing = ElementTree.fromstring(take(tab.page, ways, "svg"))
    letters = [part for part in drawing.iter(f"{SVG}text") if part.get("font-style") == "italic"]
    formulas = "".join(ways.locator(".katex-html").all_text_contents())
    assert formulas.startswith("qk")
    assert [part.text for part in letters] == [sign for sign in formulas if sign.isalpha()]


def test_the_letters_of_two_maps_side_by_side_are_in_the_saved_grid(tab):
    compare, grid = figures(tab, "explorer", f"{GIVEN}&panel=compare&view=head", 2)
    drawing = ElementTree.fromstring(take(tab.page, grid, "svg"))
    texts = [part.text for part in drawing.iter(f"{SVG}text")]
    assert (texts.count("A"), texts.count("B")) == (1, 1)
    for figure in (compare, grid):  # the frame of B is dashed
        svg = take(tab.page, figure, "svg").decode()
        assert svg.count('stroke-dasharray="6 3"') == 1


def test_the_steps_of_a_saved_cell_have_their_numbers_and_their_lines(tab):
    link = f"{GIVEN}&view=head&cell.row=1&cell.column=2"
    _, cell, _ = figures(tab, "explorer", link, 3)
    drawing = ElementTree.fromstring(take(tab.page, cell, "svg"))
    titles = [part for part in drawing.iter(f"{SVG}text") if re.match(r"\d\. ", part.text)]
    assert [title.text[0] for title in titles] == ["1", "2", "3", "4", "5"]
    assert titles[0].text == f"1. {TR('cell.step_product')}"
    rectangles = [rect for rect in drawing.iter(f"{SVG}rect") if rect.get("height")]
    bars = [rect for rect in rectangles if rect.get("width") == "3"]  # left of each step
    assert len(bars) >= len(titles)
    assert any(rect.get("height") == "1" for rect in rectangles)  # above a sum


def test_a_saved_picture_ends_at_the_right_where_its_last_part_ends(tab):
    """The ribbons of a short sentence take less than half of the page."""
    [ribbons] = figures(tab, "", GIVEN, 1)
    assert ribbons.evaluate("figure => figure.clientWidth") > 1000
    drawing = ElementTree.fromstring(take(tab.page, ribbons, "svg"))
    assert int(drawing.get("width")) < 700
