"""Hebrew and Arabic run from right to left everywhere; no script loses its marks."""

from pathlib import Path
from urllib.parse import quote
from xml.etree import ElementTree

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from model import load
from model.maps.view import ViewOptions, attention_view
from model.pictures.colours import COLOURS
from model.pictures.tokens import display, in_full
from tests.browser.conftest import (
    Visit,
    answered,
    cell,
    expect_colours,
    expect_link,
    frame,
    new_profile,
    painted,
    place_of,
)
from tests.browser.taken import SVG, take
from tests.browser.views import figures

pytestmark = pytest.mark.browser

HEBREW, ARABIC = "שלום, אני סטודנט מתל אביב.", "أنا طالب من القاهرة."
WORD = "שלום"


def _xs(items: Locator) -> np.ndarray:
    """Return the x of the middle of each item in the first line."""
    boxes = [item.bounding_box() for item in items.all()]
    line = [box for box in boxes if box["y"] < boxes[0]["y"] + boxes[0]["height"]]
    return np.array([box["x"] + box["width"] / 2 for box in line])


def _runs_from_right(places) -> bool:
    return len(places) > 2 and bool((np.diff(places) < 0).all())


def _texts(svg: bytes) -> dict[str, float]:
    """Return each text of a picture with its x. Of equal texts the first counts."""
    elements = [*ElementTree.fromstring(svg).iter(f"{SVG}text")]
    return {text.text or "": float(text.get("x") or 0) for text in reversed(elements)}


def test_the_tokens_of_a_hebrew_word_stand_from_right_to_left_with_their_ribbons(visit: Visit):
    page = _typed(visit, WORD)
    sources = page.locator(".sources li")
    assert _runs_from_right(_xs(sources))
    middle = "item => item.offsetLeft + item.offsetWidth / 2"
    middles = [item.evaluate(middle) for item in sources.all()]
    ends = [ribbon["path"][1][0] for ribbon in _ribbons(page)]
    assert ends
    assert all(np.abs(np.subtract(middles, end)).min() < 1 for end in ends)
    [figure] = page.locator("[class*=st-key-figure-]").filter(has=page.locator(".figure-bar")).all()
    drawn = _texts(take(page, figure, "svg"))
    first, second = sources.nth(0), sources.nth(2)
    assert drawn[first.inner_text()] > drawn[second.inner_text()]
    sources.nth(0).focus()
    sources.nth(0).press("ArrowLeft")
    expect(sources.nth(1)).to_be_focused()


def test_a_long_arabic_sentence_has_one_token_per_line_and_ribbons_at_its_right_edge(
    visit: Visit,
):
    page = _typed(visit, ARABIC)
    sources = page.locator(".sources li")
    boxes = [place_of(item) for item in sources.all()]
    assert (np.diff([box["y"] for box in boxes]) > 0).all()
    # the tokens end at the right edge, and so do the ribbons
    assert np.ptp([box["x"] + box["width"] for box in boxes]) < 1
    right = "item => item.offsetLeft + item.offsetWidth"
    ends = [ribbon["path"][1][0] for ribbon in _ribbons(page)]
    assert ends
    np.testing.assert_allclose(ends, sources.first.evaluate(right), atol=1)
    sources.nth(0).focus()
    sources.nth(0).press("ArrowDown")
    expect(sources.nth(1)).to_be_focused()
    # a token with a part of a character shows its bytes
    assert sources.locator("bdi[title*='0x']").count() > 4


def _typed(visit: Visit, sentence: str) -> Page:
    """Return the start page after a sentence was typed and its translation was written."""
    visit.page.emulate_media(reduced_motion="reduce")  # ribbons do not grow
    page = visit.open("?sentence=I+see.", first=".player")
    box = page.locator(".st-key-choice-sentence textarea")
    with answered(page):
        box.fill(sentence)
        box.press("Enter")
    assert box.evaluate("box => getComputedStyle(box).unicodeBidi") == "plaintext"
    page.locator(".player input").press("End")
    expect(page.locator(".targets .unwritten")).to_have_count(0)
    return page


def _ribbons(page: Page) -> list[dict]:
    return page.locator(".stage canvas").evaluate("canvas => seen.painted(canvas).ribbons")


def test_tokens_maps_and_saved_pictures_run_from_right_to_left(tab: Visit, tiny_checkpoint: Path):
    link = f"checkpoint=tiny&unit=words&attention=encoder_self&target={quote(HEBREW)}"
    map_, grid = figures(tab, "explorer", f"{link}&sentence={quote(HEBREW)}", 2)
    page = tab.page
    assert _runs_from_right(_xs(page.locator(".subwords li")))
    words = HEBREW.replace(",", " ,").replace(".", " .").split()
    canvas = page.locator(".st-key-map canvas")
    drawing = painted(canvas)
    labels = [(text["text"], text["y"], text["x"]) for text in drawing["texts"]]
    columns = [min((y, x) for name, y, x in labels if name == word)[1] for word in words]
    assert _runs_from_right(columns)
    t = load(tiny_checkpoint)
    choice = ViewOptions(kind="encoder_self", unit="words")
    view = attention_view(t.model, t.tokenizer, t.trace(HEBREW, target=HEBREW), choice)
    shades = np.floor(255 * view.layers[-1, :, ::-1].ravel() + 0.5) / 255
    expect_colours(drawing["pictures"][0]["colours"], [*map(COLOURS["light"].of, shades)])
    drawn = _texts(take(page, map_, "svg"))
    assert set(words) <= set(drawn)
    assert f"sentence \u2067{HEBREW}\u2069 ·" in " ".join(drawn)
    n = len(words) + 2  # with the tokens at both ends
    with answered(page):
        canvas.click(position=cell(canvas, 2, n - 2))  # the second column from the right
    expect_link(page, {"cell.row": "2", "cell.column": "1"})
    tile = grid.locator(".tile").first
    size = tile.bounding_box()
    tile.hover(position={"x": size["width"] * (1 - 1.5 / n), "y": size["height"] * 2.5 / n})
    expect(grid.locator(".tip")).to_contain_text(f"{words[1]} → {words[0]}")


def test_no_mark_is_lost_in_a_picture(tab: Visit):
    text = "मैं छात्र ชื่อเล่น שָׁלוֹם أَنَا"
    link = f"panel=lines&unit=words&attention=encoder_self&sentence={quote(text)}"
    lines, _ = figures(tab, "explorer", f"{link}&target=a", 2)
    svg = take(tab.page, lines, "svg")
    assert set(text.split()) <= set(_texts(svg))
    page = tab.open(f"explorer?panel=lines&sentence={quote(text)}&target=a", first=".keys li")
    # tokens with a part of a character
    expect(page.locator(".keys bdi[title*='0x']")).not_to_have_count(0)
    canvas, last = (
        place_of(page.locator(selector).last) for selector in (".stage canvas", ".keys li")
    )
    # the canvas of the lines reaches the last token
    assert canvas["y"] + canvas["height"] > last["y"] + last["height"] / 2


def test_a_word_that_is_cut_on_the_page_is_complete_in_the_file(tab: Visit):
    word = "שָׁלוֹם" * 6
    link = f"panel=lines&unit=words&attention=encoder_self&sentence={word}&target=a"
    lines, _ = figures(tab, "explorer", link, 2)
    texts = _texts(take(tab.page, lines, "svg"))
    assert word in texts
    assert not any(text.endswith("…") for text in texts)


def test_a_saved_page_runs_from_right_to_left(
    browser: Browser, tiny_checkpoint: Path, tmp_path: Path
):
    trace = load(tiny_checkpoint).trace(WORD, target=WORD)
    context = new_profile(browser, viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.goto(trace.to_html("encoder_self").save(tmp_path / "page.html").as_uri())
    expect(page.locator("h1")).to_have_css("direction", "rtl")
    assert _runs_from_right(_xs(page.locator(".subwords li")))
    cells, n = page.locator(".large canvas"), len(trace.src)
    drawing = painted(cells)
    left = drawing["pictures"][0]["x"]
    rows, columns = (
        [text["x"] for text in drawing["texts"] if (text["x"] < left) is before]
        for before in (True, False)
    )
    assert len(rows) == n  # the labels of rows stay on the left
    assert _runs_from_right(columns[:n])
    cells.hover(position=cell(cells, 0, n - 2))
    expect(page.locator(".large .tip bdi").last).to_have_text(in_full(display(trace.src_tokens)[1]))
    assert frame(painted(cells)) == (0, n - 2)
    cells.press("ArrowLeft")
    assert frame(painted(cells)) == (0, n - 3)
    context.close()


def test_the_caption_of_a_right_to_left_picture_has_the_source_before_the_translation(
    browser: Browser, tiny_checkpoint: Path
):
    trace = load(tiny_checkpoint).trace(WORD + ".", target="أنا")
    page = browser.new_page()
    page.set_content(trace.plot("encoder_self").svg)
    note = page.locator("svg > text", has_text="→")
    source, target, stop = note.evaluate(
        "text => [...'שأ.'].map((sign) => text.getExtentOfChar(text.textContent.indexOf(sign)).x)"
    )
    assert stop < source < target
    page.close()
