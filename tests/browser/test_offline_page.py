"""A saved analysis in a real browser, from the file system, with the network off."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from model import Trace, load
from model.arrays import Array
from model.pictures.colours import COLOURS
from model.pictures.offline_page import ENGLISH, OfflinePage
from model.pictures.tokens import display
from model.transformer.heads import KINDS
from tests.browser.axe import violations
from tests.browser.conftest import cell, frame, new_profile, painted, place_of
from tests.waiting import until

pytestmark = pytest.mark.browser

Open = Callable[..., Page]
LABELS = {kind: ENGLISH[f"attention.{kind}"] for kind in KINDS}
_LANGUAGES = "all => all.map((each) => each.lang)"
DIGITS = 0.50001e-4  # half of the last of four decimals, for rounding


@pytest.fixture(scope="module")
def trace(shipped_checkpoint: Path) -> Trace:
    return load(shipped_checkpoint).trace("The black cat sleeps.", target="Le chat noir dort.")


@pytest.fixture
def open_page(browser: Browser, tmp_path: Path) -> Iterator[Open]:
    """Open saved pages; assert that the browser requests only their file."""
    asked: list[str] = []
    wrong: list[str] = []
    contexts = []

    def opened(saved: OfflinePage, width: int = 1440, scheme: str = "light") -> Page:
        path = saved.save(tmp_path / "analysis.html")
        screen = {"width": width, "height": 900}
        context = new_profile(browser, viewport=screen, color_scheme=scheme, offline=True)
        contexts.append(context)
        page = context.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("dialog", lambda dialog: wrong.append(dialog.message))
        page.goto(path.as_uri())
        return page

    yield opened
    for context in contexts:
        context.close()
    assert wrong == []
    # some browsers do not report that they read the file itself
    assert set(asked) <= {(tmp_path / "analysis.html").as_uri()}


def large(page: Page) -> Locator:
    return page.locator(".large canvas")


def row_labels(page: Page) -> list[str]:
    drawn = painted(large(page))
    return [text["text"] for text in drawn["texts"] if text["x"] < drawn["pictures"][0]["x"]]


def written_in_table(page: Page) -> list[list[str]]:
    rows = page.locator(".large table tbody tr")
    return rows.evaluate_all(
        "rows => rows.map((row) => [...row.querySelectorAll('td')].map((td) => td.textContent))"
    )


def same(written: list[list[str]], weights: Array, *, causal: bool) -> None:
    """Assert that texts are these weights to four digits. Hidden cells are empty."""
    assert np.shape(written) == weights.shape
    for (row, column), number in np.ndenumerate(weights):
        if causal and column > row:
            assert written[row][column] == ""
        else:
            shown = float(written[row][column].replace("−", "-"))
            assert abs(shown - float(number)) < DIGITS


def test_pointer_and_table_show_the_numbers_of_each_head(trace: Trace, open_page: Open) -> None:
    page = open_page(trace.to_html())
    title, tip = page.locator("h2").first, page.locator(".large .tip")
    expect(title).to_have_text("Cross-attention · layer 4 · mean of 8 heads")
    page.locator(".large summary").click()
    same(written_in_table(page), trace.cross[3].mean(axis=0), causal=False)
    n_layers, n_heads = trace.cross.shape[:2]
    for (kind, label), (layer, head) in zip(LABELS.items(), [(0, 2), (3, 0), (1, 7)], strict=True):
        page.get_by_label(label, exact=True).check()
        expect(page.locator(".tile")).to_have_count(n_layers * (n_heads + 1))
        page.get_by_label(f"Layer {layer + 1}, head {head + 1}", exact=True).click()
        expect(title).to_have_text(f"{label} · layer {layer + 1} · head {head + 1}")
        pressed = page.locator('.tile[aria-pressed="true"]')
        expect(pressed).to_have_attribute("aria-label", f"Layer {layer + 1}, head {head + 1}")
        maps = trace.attention(kind, rows="written" if kind != "encoder_self" else "read")
        weights = maps.weights[layer, head]
        queries, keys = display(maps.query_tokens), display(maps.key_tokens)
        same(written_in_table(page), weights, causal=kind == "decoder_self")
        table = page.locator(".large table")
        expect(table.locator("tbody th")).to_have_text(list(queries))
        expect(table.locator("thead th")).to_have_text(list(keys))
        for side, spoken in (("tbody", queries), ("thead", keys)):
            words = table.locator(f"{side} bdi")
            languages = dict(zip(spoken, words.evaluate_all(_LANGUAGES), strict=True))
            own = "fr" if kind == "decoder_self" or (side, kind) == ("tbody", "cross") else "en"
            assert {languages[word] for word in spoken if word[0] != "<"} == {own}
        for row, column in ((4, 0), (4, 3), (2, 1)):
            large(page).hover(position=cell(large(page), row, column))
            expect(tip.locator("bdi")).to_have_text([queries[row], keys[column]])
            weight = float(tip.inner_text().split(" = ")[1])
            assert abs(weight - float(weights[row, column])) < DIGITS
            assert frame(painted(large(page))) == (row, column)
        if kind == "decoder_self":
            large(page).hover(position=cell(large(page), 1, 4))  # a hidden cell, so it has no tip
        else:
            page.mouse.move(0, 0)
        expect(tip).to_be_hidden()
        assert frame(painted(large(page))) == np.unravel_index(weights.argmax(), weights.shape)
        expect(page.locator(".readout")).to_contain_text(ENGLISH["offline.strongest"])
        strongest = float(page.locator(".readout b").inner_text())
        assert abs(strongest - float(weights.max())) < DIGITS
    page.get_by_label("Layer 2, mean of its heads", exact=True).click()
    same(written_in_table(page), trace.cross[1].mean(axis=0), causal=False)
    page.get_by_label(ENGLISH["panel.lines"], exact=True).check()
    page.locator(".lines summary").click()
    first_row = page.locator(".lines table").first.locator("tbody tr").first.locator("td")
    expect(first_row).to_have_text([f"{weight:.3f}" for weight in trace.cross[1, 0, 0]])


def test_rows_can_have_two_names_and_arrow_keys_open_each_map(
    trace: Trace, open_page: Open
) -> None:
    page = open_page(trace.to_html(layer=1, head=6))
    assert row_labels(page) == list(display(trace.next_tokens))
    page.get_by_label("token read").check()
    until(lambda: row_labels(page) == list(display(trace.tgt_tokens)))
    title = page.locator("h2").first
    expect(title).to_have_text("Cross-attention · layer 2 · head 7")
    page.locator(".tile[aria-pressed=true]").focus()
    for key, position in (
        ("ArrowRight", "layer 2 · head 8"),
        ("ArrowRight", "layer 2 · mean of 8 heads"),
        ("ArrowRight", "layer 2 · mean of 8 heads"),  # the last map of the layer
        ("ArrowLeft", "layer 2 · head 8"),
    ):
        page.keyboard.press(key)
        expect(title).to_have_text(f"Cross-attention · {position}")
    expect(page.locator(":focus")).to_have_attribute("aria-label", "Layer 2, head 8")


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (1440, "dark")])
def test_saved_pages_follow_the_theme_of_the_system_and_fit_the_screen(
    trace: Trace, open_page: Open, scheme, width: int
) -> None:
    page = open_page(trace.to_html(layer=3, head=5), width, scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    shades = [round(255 * float(number)) / 255 for number in trace.cross[3, 5].flat]
    for now in ("light", "dark", scheme):  # the system's theme changes while the page is open
        page.emulate_media(color_scheme=now)
        colours = COLOURS[now]
        rgb = [int(colours.paper[at : at + 2], 16) for at in (1, 3, 5)]
        expect(page.locator("body")).to_have_css("background-color", f"rgb{tuple(rgb)}")
        expected = [colours.of(shade) for shade in shades]
        until(lambda to=expected: painted(large(page))["pictures"][0]["colours"] == to)
    [picture] = painted(large(page))["pictures"]
    assert (picture["rows"], picture["columns"]) == trace.cross.shape[2:]
    tiles = [place_of(tile) for tile in page.locator(".tile").all()]
    assert all(box and box["width"] >= 24 and box["height"] >= 24 for box in tiles)
    box = place_of(large(page))
    assert box["x"] + box["width"] <= width
    facts = page.locator(".for-paper")  # the list of the model and the settings is closed
    expect(facts).to_be_hidden()
    page.emulate_media(media="print")
    expect(facts).to_be_visible()
    for name in page.locator("dt").all_text_contents():
        expect(facts).to_contain_text(name)
    page.emulate_media(media="screen")
    for summary in page.locator("summary").all():
        summary.click()
    assert violations(page) == []
