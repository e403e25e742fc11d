"""Matrices: their colours, each way to read or choose a cell, and the words that mark them."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from xml.etree import ElementTree

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from model import load
from model.lessons.qkv.classroom import classroom_attention
from model.lessons.qkv.walkthrough import walk
from model.maps.measures import entropy
from model.maps.view import ViewOptions, attention_view
from model.pictures.colours import COLOURS
from model.pictures.tokens import display
from tests.browser.conftest import (
    PHONE,
    answered,
    cell,
    expect_colours,
    frame,
    painted,
    place_of,
    settle,
)
from tests.browser.taken import SVG, take
from tests.browser.views import GIVEN
from tests.charts.colour_vision import luminance
from tests.waiting import until
from ui.text.roles import ROLES
from ui.text.translator import translator

pytestmark = pytest.mark.browser

TR = translator("en")
CLASSROOM = "qkv?qkv.source=classroom&attention=cross"
PRODUCT = f"{CLASSROOM}&qkv.step=product"
ATTENTION = classroom_attention("cross")
RESULTS = {name: values[0].numpy() for name, values in walk(ATTENTION).items()}
Q, K, PRODUCTS = (RESULTS[name][0] for name in ("q", "k", "product"))


def _signed(values: np.ndarray, theme: str = "light") -> list[str]:
    """Return the colours of signed cells. The largest absolute value has the strongest colour."""
    scale = replace(COLOURS[theme], sequential=COLOURS[theme].diverging)
    shares = 0.5 + values.ravel() / (2 * np.abs(values).max())
    return [scale.of(np.floor(255 * share + 0.5) / 255) for share in shares]


def _pixels(canvas: Locator, row: int, column: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the colour of the texts, and the pixels at the top of a cell: (n, 4), with alpha."""
    picture = painted(canvas)["pictures"][0]
    w, h = picture["width"] / picture["columns"], picture["height"] / picture["rows"]
    box = [picture["x"] + column * w + 2, picture["y"] + row * h + 2, w - 4, 3]
    ink, pixels = canvas.evaluate("(canvas, box) => seen.pixels(canvas, box)", box)
    return np.array(ink), np.reshape(pixels, (-1, 4))


def _contrast(first: str, second: str) -> float:
    """Return the contrast of two colours as WCAG 2.2 defines it, from 1 to 21."""
    darker, lighter = sorted(map(luminance, (first, second)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.fixture(scope="module")
def page(shared_visit) -> Page:
    return shared_visit.open(PRODUCT, first="figure canvas")


def _show_theme(page: Page, theme: str) -> None:
    page.emulate_media(color_scheme=theme)
    page.wait_for_function(
        "theme => getComputedStyle(document.querySelector('.stApp')).colorScheme === theme",
        arg=theme,
    )


def test_a_matrix_is_painted_with_its_numbers_labels_and_colours(page):
    figures = page.locator(".root:has(figure)").first.locator("figure")
    _show_theme(page, "dark")
    place_of(figures.first)
    [picture] = painted(figures.last.locator("canvas"))["pictures"]
    expect_colours(picture["colours"], _signed(PRODUCTS, "dark"))
    _show_theme(page, "light")
    titles = figures.locator("figcaption strong")
    expect(titles).to_have_text(["q", "k", "product"])
    expect(figures.locator("xpath=../span")).to_have_text(["·", "ᵀ ="])
    names = display(ATTENTION.query_tokens), display(ATTENTION.key_tokens)
    for n, (values, rows, columns) in enumerate(
        ((Q, names[0], ()), (K, names[1], ()), (PRODUCTS, *names))
    ):
        place_of(figures.nth(n))
        drawn = painted(figures.nth(n).locator("canvas"))
        [picture] = drawn["pictures"]
        assert (picture["rows"], picture["columns"]) == values.shape
        expect_colours(picture["colours"], _signed(values))
        w, h = picture["width"] / picture["columns"], picture["height"] / picture["rows"]
        numbers, labels = {}, {}
        for text in drawn["texts"]:
            row, column = int((text["y"] - picture["y"]) // h), int((text["x"] - picture["x"]) // w)
            if row >= 0 and column >= 0:
                numbers[row, column] = text["text"]
                ground = picture["colours"][row * values.shape[1] + column]
                assert _contrast(text["colour"], ground) > 4.2  # the number is readable
            else:
                labels[("row", row) if column < 0 else ("column", column)] = text["text"]
        assert numbers == {
            index: f"{value:g}".replace("-", "−") for index, value in np.ndenumerate(values)
        }
        expected = {("row", i): name for i, name in enumerate(rows)}
        assert labels == expected | {("column", j): name for j, name in enumerate(columns)}


NAMES = display(ATTENTION.query_tokens), display(ATTENTION.key_tokens)


class Product:
    """The matrices of the step that multiplies queries and keys: q, k and their product."""

    def __init__(self, page: Page) -> None:
        self.q, self.k, self.canvas = (page.locator("figure canvas").nth(n) for n in range(3))
        self.picture = page.locator(".root:has(figure)").first
        self.tip = self.picture.locator(".tip")
        self.live = self.picture.locator(".unseen")

    def expect_framed(self, row: int, column: int) -> None:
        """Expect a frame around this cell, and around the rows of q and k that make it."""
        assert frame(painted(self.canvas)) == (row, column)
        assert frame(painted(self.q)) == (row, slice(None))
        assert frame(painted(self.k)) == (column, slice(None))


@pytest.fixture
def product_of(page) -> Iterator[Product]:
    matrices = Product(page)
    yield matrices
    matrices.canvas.blur()
    page.locator("h1").hover()
    expect(matrices.tip).to_be_hidden()


def _cell_in_words(row: int, column: int) -> str:
    number = f"{PRODUCTS[row, column]:g}".replace("-", "−")
    return f"product [{NAMES[0][row]}, {NAMES[1][column]}] = {number}"


def test_the_tip_of_a_cell_shows_its_number_and_frames_the_rows_that_it_is_computed_from(
    product_of,
):
    rows, columns = PRODUCTS.shape
    for row, column, across in ((1, 2, 0.2), (0, 1, 0.8), (rows - 1, columns - 1, 0.8)):
        product_of.canvas.hover(position=cell(product_of.canvas, row, column, across=across))
        expect(product_of.tip).to_have_text(_cell_in_words(row, column))
        product_of.expect_framed(row, column)


def test_pointing_at_a_cell_of_q_frames_that_cell_only(product_of):
    product_of.q.hover(position=cell(product_of.q, 1, 0))
    number = f"{Q[1, 0]:g}".replace("-", "−")
    expect(product_of.tip).to_have_text(f"q [{NAMES[0][1]}, 0] = {number}")
    assert frame(painted(product_of.q)) == (1, 0)
    assert painted(product_of.canvas)["frames"] == []
    assert painted(product_of.k)["frames"] == []


def test_a_clicked_cell_is_calculated_below_and_stays_framed_in_the_saved_picture(page, product_of):
    sheet = page.locator(".st-key-worksheet pre")
    with answered(page):
        product_of.canvas.click(position=cell(product_of.canvas, 1, 2))
    expect(sheet).to_contain_text("product[0, 1, 2] = Σ_i q[0, 1, i] · k[0, 2, i]")
    expect(sheet).to_contain_text(f"= {PRODUCTS[1, 2]:g}".replace("-", "−"))
    expect(product_of.live).to_have_text(_cell_in_words(1, 2))
    page.locator("h1").hover()
    product_of.expect_framed(1, 2)
    svg = take(page, page.locator("[class*=st-key-figure-]").first, "svg")
    paths = [path.attrib for path in ElementTree.fromstring(svg).iter(f"{SVG}path")]
    frames = [path["d"] for path in paths if path.get("stroke") and path["d"].endswith("Z")]
    assert len(frames) == "".join(frames).count("M") == 3  # each path is one rectangle


def test_arrow_keys_move_from_cell_to_cell_and_stop_at_the_edges(page, product_of):
    last_row, last_column = PRODUCTS.shape[0] - 1, PRODUCTS.shape[1] - 1
    # The keys start at the last clicked cell.
    with answered(page):
        product_of.canvas.click(position=cell(product_of.canvas, 1, 2))
    page.locator("h1").hover()
    product_of.canvas.focus()
    row, column = 1, 2
    keys = ["ArrowUp", "ArrowLeft", "ArrowDown", "ArrowRight"]
    keys += ["ArrowUp"] * (last_row + 1) + ["ArrowRight"] * (last_column + 1)
    keys += ["ArrowDown"] * (last_row + 1) + ["ArrowLeft"] * (last_column + 1)
    steps = {"ArrowUp": (-1, 0), "ArrowDown": (1, 0), "ArrowLeft": (0, -1), "ArrowRight": (0, 1)}
    for key in keys:
        page.keyboard.press(key)
        down, right = steps[key]
        row = min(max(row + down, 0), last_row)
        column = min(max(column + right, 0), last_column)
        expect(product_of.tip).to_have_text(_cell_in_words(row, column))
        expect(product_of.live).to_have_text(_cell_in_words(row, column))
        product_of.expect_framed(row, column)


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_enter_and_space_choose_a_cell_like_a_click(page, product_of, key):
    with answered(page):
        product_of.canvas.click(position=cell(product_of.canvas, 1, 2))
    page.locator("h1").hover()
    product_of.canvas.focus()
    page.keyboard.press("ArrowLeft")
    with answered(page):
        page.keyboard.press(key)
    expect(page.locator(".st-key-worksheet pre")).to_contain_text("product[0, 1, 1] =")
    expect(product_of.canvas).to_be_focused()


def test_each_matrix_has_a_table_for_screen_readers(product_of):
    product_of.picture.locator("summary").click()
    table = product_of.picture.locator("table").nth(2)
    expect(table.locator("caption")).to_have_text(f"product {TR('grid.head_number', n=1)}")
    expect(table.locator("thead th")).to_have_text(list(NAMES[1]))
    expect(table.locator("tbody th")).to_have_text(list(NAMES[0]))
    numbers = [f"{value:g}".replace("-", "−") for value in PRODUCTS.ravel()]
    expect(table.locator("tbody td")).to_have_text(numbers)
    product_of.picture.locator("summary").click()


def test_hidden_cells_have_no_number_and_weights_have_their_own_colour_scale(
    tab, shipped_checkpoint
):
    trace = load(shipped_checkpoint).trace("I see.")
    link = "qkv?sentence=I+see.&attention=decoder_self&layer=2&head=3&qkv.step=softmax"
    page = tab.open(link, first="figure canvas")
    canvas = page.get_by_role("application", name="weights Head 3")
    weights, target = trace.decoder_self[1, 2], display(trace.tgt_tokens)
    place_of(canvas)
    [picture] = painted(canvas)["pictures"]
    colours = [COLOURS["light"].of(np.floor(255 * w + 0.5) / 255) for w in weights.ravel()]
    expect_colours(picture["colours"], colours)
    scores = page.get_by_role("application", name="masked_scores Head 3")
    [picture] = painted(scores)["pictures"]
    visible = np.tri(*weights.shape, dtype=bool).ravel()
    assert [bool(colour) for colour in picture["colours"]] == visible.tolist()
    assert sum(text["text"] == "−∞" for text in painted(scores)["texts"]) in (0, (~visible).sum())
    ink, pixels = _pixels(scores, 0, 2)
    faint = pixels[:, 3]
    assert faint.min() == 0
    assert 60 < faint.max() < 120  # the lines of the hatching are translucent
    # A canvas keeps whole numbers: each colour times its opacity. What it draws is rounded twice.
    opacity = faint.max() / 255
    kept = np.round(pixels[faint.argmax(), :3] * opacity)
    assert np.abs(kept - ink * opacity).max() <= 1
    scores.hover(position=cell(scores, 0, 2))
    expect(page.locator(".tip").first).to_contain_text("= −∞")
    languages = page.locator(".tip bdi").evaluate_all("all => all.map((each) => each.lang)")
    assert languages == ["fr", "fr"]
    # if there are many narrow columns, cells are higher than wide
    with answered(page):
        page.locator(".st-key-qkv-on").get_by_role("button", name="→").click()  # to the next step
    values = page.get_by_role("application", name="v Head 3")
    place_of(values)
    [picture] = painted(values)["pictures"]
    assert picture["height"] / picture["rows"] > 1.1 * picture["width"] / picture["columns"]
    for row in (0, picture["rows"] - 1):
        values.hover(position=cell(values, row, 7, across=0.8))
        expect(page.locator(".tip").first).to_contain_text(f"v [{target[row]}, 7] = ")


def test_the_matrix_is_cut_into_heads_and_the_heads_move_apart(tab):
    page = tab.open(f"{CLASSROOM}&qkv.step=split", first="figure canvas")
    canvas = page.locator("figure canvas").first
    whole = RESULTS["q_flat"]
    place_of(canvas)
    until(lambda: _gap(canvas) >= 12)  # the heads move slowly
    assert _gap(canvas) == 12
    parts = painted(canvas)["pictures"]
    assert len(parts) == ATTENTION.n_heads == 2
    size = whole.shape[1] // 2
    expected = np.reshape(_signed(whole), whole.shape)
    for head, part in enumerate(parts):
        own = expected[:, head * size : (head + 1) * size]
        expect_colours(part["colours"], own.ravel().tolist())


def _gap(canvas: Locator) -> float:
    """Return the pixels between two heads."""
    first, second = painted(canvas)["pictures"]
    return second["x"] - first["x"] - first["width"]


def _word(page: Page, role: str) -> Locator:
    return page.locator(f'a[href="#role-{role}"]').first


def test_a_word_has_the_colour_of_its_matrix_and_highlights_it(page):
    lit = page.locator("figure.lit figcaption strong")
    titles = {"query": "q", "key": "k", "score": "product"}
    for theme, (role, title) in product(("dark", "light"), titles.items()):
        _show_theme(page, theme)
        word = _word(page, role)
        word.hover()
        expect(lit).to_have_text([title])
        code = getattr(ROLES[role], theme)
        colour = f"rgb({', '.join(str(int(code[n : n + 2], 16)) for n in (1, 3, 5))})"
        expect(word).to_have_css("color", colour)
        expect(word).to_have_css("text-decoration-style", ROLES[role].line.split()[0])
        name = page.locator("figure figcaption strong").get_by_text(title, exact=True)
        expect(name).to_have_css("color", colour)
    settle(page)
    asked = page.evaluate("runs.asked")
    _word(page, "value").hover()  # this step does not show the values
    expect(lit).to_have_count(0)
    _word(page, "weight").hover()  # further down: one row of weights before a change and after it
    expect(lit).to_have_text([TR("qkv.before"), TR("qkv.after")])
    page.mouse.move(0, 0)
    expect(lit).to_have_count(0)
    # Tab stops at the words that highlight something, and Enter does not change the address
    page.locator(".st-key-bar a").last.focus()  # the last element before the text
    for role in ("query", "key", "score", "weight"):
        page.keyboard.press("Tab")
        expect(_word(page, role)).to_be_focused()
        expect(page.locator("figure.lit")).not_to_have_count(0)
    url = page.url
    page.keyboard.press("Enter")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Shift+Tab")
    expect(lit).to_have_text(["k"])
    assert (page.url, page.evaluate("runs.asked")) == (url, asked)


@pytest.mark.parametrize("tab", [PHONE], indirect=True)
def test_on_a_phone_matrices_are_in_one_column_and_a_tap_on_a_word_scrolls_to_its_matrix(tab):
    page = tab.open(PRODUCT, first="figure canvas")
    boxes = [place_of(page.locator("figure").nth(n)) for n in range(3)]
    assert all(box["x"] + box["width"] <= PHONE["width"] for box in boxes)
    _word(page, "key").click()
    expect(page.locator("figure.lit figcaption strong")).to_have_text(["k"])
    expect(page.locator("figure.lit")).to_be_in_viewport()
    assert "#" not in page.url


def _large(tab, link: str) -> tuple[dict, list[str]]:
    """Return what the explorer's large map paints, and its texts."""
    tab.open(f"explorer?{GIVEN}&view=head&layer=1&head=2&{link}", first=".st-key-map canvas")
    canvas = tab.page.locator(".st-key-map canvas")
    place_of(canvas)
    drawn = painted(canvas)
    return drawn, [text["text"] for text in drawn["texts"]]


def test_a_large_map_shows_notes_a_scale_and_a_covered_row(tab, t, trace):
    weights = trace.cross[0, 1]
    drawn, texts = _large(tab, "map.hidden_row=2&cell.row=2&cell.column=1")
    [picture] = drawn["pictures"]
    colours = np.reshape(picture["colours"], weights.shape)
    assert not any(colours[1])
    for n in (0, 2):
        shares = np.floor(255 * weights[n] + 0.5) / 255
        expect_colours([*colours[n]], [*map(COLOURS["light"].of, shares)])
    notes = [text for text in texts if text == "?" or text.startswith("Σ")]
    expected = [f"Σ {row.sum():.2f} H {entropy(row):.2f}" for row in weights]
    assert notes == [expected[0], "?", *expected[2:]]
    assert texts[-4:] == [TR("map.weights"), "0.0", "0.5", "1.0"]
    h = picture["height"] / picture["rows"]
    covered, picked = ((y - picture["y"]) / h for _, y, _, _ in drawn["frames"])
    assert (round(covered), round(picked)) == (1, 2)
    # keys move over the covered row as well
    tab.page.locator(".st-key-map canvas").focus()
    tab.page.keyboard.press("ArrowUp")
    names = display(trace.next_tokens)[0], display(trace.src_tokens)[1]
    expect(tab.page.locator(".st-key-map .unseen")).to_contain_text(f"[{names[0]}, {names[1]}]")
    drawn, texts = _large(tab, "cells=value_norms")  # the largest norm is the end of the scale
    choice = ViewOptions(kind="cross", cells="value_norms")
    largest = float(attention_view(t.model, t.tokenizer, trace, choice).heads.max())
    assert float(texts[-1]) == pytest.approx(largest, abs=0.005)
    numbers = {float(text) for text in texts if re.fullmatch(r"\d\.\d\d", text)}
    assert max(numbers) <= largest + 0.005
