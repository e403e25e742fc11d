"""The app as a visitor meets it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import expect_link, place_of
from ui.text.examples import DEFAULT_SENTENCE

pytestmark = pytest.mark.browser

SENTENCE = 'input[aria-label="Your sentence"]'
PHONE = {"width": 390, "height": 844}
# An untrained model writes on and on: a given target keeps its maps small.
TARGET = "Je vois un chat."
TINY = f"checkpoint=tiny&target={quote(TARGET)}"
_SETTLED = "!document.querySelector('.st-key-map[data-ahead]')"
LONG = "I said that " * 12 + "it is late."


def _labels(page: Page) -> list[str]:
    return page.locator(".vega-embed svg text").all_text_contents()


def _type(page: Page, sentence: str) -> None:
    page.locator(SENTENCE).fill(sentence)
    page.locator(SENTENCE).press("Enter")


def _wait_for_label(page: Page, token: str) -> None:
    page.wait_for_function(
        "token => [...document.querySelectorAll('.vega-embed svg text')]"
        ".some(text => text.textContent === token)",
        arg=token,
    )


def _head(page: Page, layer: int, head: int):
    return page.get_by_role("button", name=f"Layer {layer}, head {head}", exact=True)


def test_the_first_view_needs_no_plotly_and_no_vega(visit):
    scripts = []
    visit.page.on("request", lambda request: scripts.append(request.url))
    visit.open()
    assert not any("Vega" in url or "Plotly" in url for url in scripts)
    visit.open(f"explorer?{TINY}")
    assert any("Vega" in url for url in scripts)  # it would have been seen
    assert not any("Plotly" in url for url in scripts)


def test_tokens_in_space_can_be_turned_and_followed_layer_by_layer(visit):
    page = visit.page
    page.goto(f"{visit.address}/explorer?{TINY}&panel=space")
    page.locator(".js-plotly-plot canvas").first.wait_for()
    titles = """[...document.querySelector(".js-plotly-plot").data[1].hovertext]"""
    assert any("layer 2" in title for title in page.evaluate(titles))
    page.get_by_role("slider", name="Up to layer").focus()
    page.keyboard.press("ArrowLeft")
    page.wait_for_function(f"!({titles}).some(title => title.includes('layer 2'))")
    assert any("layer 1" in title for title in page.evaluate(titles))


@pytest.mark.parametrize("visit", [{"width": 1440, "height": 900}, PHONE], indirect=True)
def test_what_one_came_for_is_seen_without_scrolling(visit):
    page = visit.open()
    for part in (SENTENCE, ".translation bdi", ".player", ".sources", ".targets"):
        box = place_of(page.locator(part))
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= page.viewport_size["height"]


@pytest.mark.parametrize("visit", [PHONE], indirect=True)
def test_a_map_on_a_phone_names_all_its_columns(visit):
    visit.open("gallery?show=one")
    words = visit.page.locator("bdi[lang=en]").first.inner_text().rstrip(".").split()
    assert len(words) >= 8  # more than Vega would give a label each
    _wait_for_label(visit.page, words[0])
    assert set(words) <= set(_labels(visit.page))


def test_a_click_on_a_map_opens_that_head(visit):
    page = visit.open(f"explorer?{TINY}&view=head")
    picture = page.locator(".st-key-map svg.marks").element_handle()
    _head(page, 2, 2).click()
    expect(page.get_by_role("heading", name="Cross attention · layer 2 · head 2")).to_be_visible()
    expect(_head(page, 2, 2)).to_have_attribute("aria-pressed", "true")
    parts = {"checkpoint": "tiny", "target": TARGET, "layer": "2", "head": "2", "view": "head"}
    expect_link(page, parts)
    assert picture.evaluate("picture => picture.isConnected")  # drawn in place, not begun anew


def test_a_click_on_a_small_map_beside_what_shows_no_head_opens_its_map(visit):
    page = visit.open(f"explorer?{TINY}&panel=beam")
    assert page.get_by_role("radiogroup", name="Layer", exact=True).count() == 0
    _head(page, 2, 2).click()
    expect(page.get_by_role("heading", name="Cross attention · layer 2 · head 2")).to_be_visible()
    expect_link(page, {"panel": None})  # the map is what goes without saying
    expect(page.get_by_role("radiogroup", name="Layer", exact=True)).to_be_visible()


@pytest.mark.parametrize("kind", ["cross", "decoder_self&rows=read"])
def test_a_picked_map_is_painted_before_the_server_answers(visit, kind):
    page = visit.open(f"explorer?{TINY}&attention={kind}&layer=1&head=1&view=head")
    fills = """[...document.querySelectorAll(".st-key-map .mark-rect.role-mark path")].map(cell =>
        getComputedStyle(cell).fill.match(/\\d+/g).map(Number))"""
    before = page.evaluate(fills)
    tile = _head(page, 2, 2)
    at_once = tile.evaluate(f"tile => {{ tile.click(); return {fills} }}")
    expect(page.locator(".st-key-map[data-ahead]")).to_have_count(0)
    expect(page.get_by_role("heading", name="layer 2 · head 2")).to_be_visible()
    drawn = page.evaluate(fills)
    assert len(drawn) > 20
    assert np.abs(np.subtract(before, drawn)).max() > 30  # the two heads can be told apart
    assert np.abs(np.subtract(at_once, drawn)).max() <= 3  # of 255: one of 256 colours


def test_a_pick_that_is_taken_back_leaves_the_map_as_it_was(visit):
    page = visit.open(f"explorer?{TINY}&layer=1&head=1&view=head")
    fills = """[...document.querySelectorAll(".st-key-map .mark-rect.role-mark path")].map(cell =>
        cell.getAttribute("fill"))"""
    before = page.evaluate(fills)
    other, first = (_head(page, n, n).element_handle() for n in (2, 1))
    painted = page.evaluate(f"([b, a]) => {{ b.click(); return {fills} }}", [other, first])
    assert painted != before
    page.evaluate("a => a.click()", first)
    expect(page.get_by_role("heading", name="layer 1 · head 1")).to_be_visible()
    page.wait_for_function(
        f"before => JSON.stringify({fills}) === before && {_SETTLED}",
        arg=json.dumps(before, separators=(",", ":"), ensure_ascii=False),
    )


def test_the_keyboard_opens_a_head_too(visit):
    page = visit.open(f"explorer?{TINY}&layer=1&head=1&view=head")
    _head(page, 1, 1).focus()
    for key in ("ArrowDown", "ArrowRight", "ArrowUp", "ArrowDown"):
        page.keyboard.press(key)
    expect(_head(page, 2, 2)).to_be_focused()
    expect(page.locator(".unseen[aria-live]")).to_contain_text("Layer 2 · Head 2")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Cross attention · layer 2 · head 2")).to_be_visible()
    expect(_head(page, 2, 2)).to_be_focused()


def test_hovering_a_small_map_tells_its_exact_weight(visit):
    page = visit.open(f"explorer?{TINY}")
    _head(page, 1, 2).hover(position={"x": 2, "y": 2})  # once it has come to rest
    expect(page.locator(".tip")).to_contain_text("Layer 1 · Head 2")
    expect(page.locator(".tip")).to_contain_text("<bos>")
    page.get_by_text("As a table").click()
    expect(page.locator("table caption")).to_be_visible()


def test_the_canvas_stays_and_follows_the_sentence(visit):
    page = visit.open(f"explorer?{TINY}")
    canvas = page.locator(".grid canvas").element_handle()
    before = canvas.evaluate("canvas => canvas.toDataURL()")
    _type(page, "I see.")
    page.wait_for_function(
        "([canvas, before]) => canvas.isConnected && canvas.toDataURL() !== before",
        arg=[canvas, before],
    )


def test_a_typed_tag_stays_text_everywhere(visit):
    page = visit.open(f"explorer?{TINY}")
    odd = "<b>x</b> <img src=x> $x$ `y` :red[z] \\ שלום"
    _type(page, odd)
    _wait_for_label(page, "$")
    expect(page.locator(SENTENCE)).to_have_value(odd)
    page.get_by_role("button", name="Settings").click()
    target = page.get_by_role("textbox", name="Your own translation")
    target.fill(odd)
    target.press("Enter")
    expect(page.locator(".translation bdi")).to_have_text(odd)
    expect(page.locator(".translation .origin")).to_have_text("given by you (teacher forcing)")
    assert page.locator(".translation b, .subwords b, .translation img, .katex").count() == 0


def test_the_sentence_survives_a_walk_through_the_menu(visit):
    page = visit.open()
    _type(page, "I see a cat.")
    page.locator(".sources li", has_text="cat").wait_for()
    page.get_by_role("link", name="Explorer", exact=True).click()
    page.locator(".grid canvas").wait_for(state="attached")
    expect(page.locator(SENTENCE)).to_have_value("I see a cat.")
    expect(page).to_have_url(re.compile(r"I\+see\+a\+cat"))


def test_a_link_opens_the_same_view_and_back_goes_back(visit):
    link = f"explorer?{TINY}&sentence={quote('I see a cat.')}&attention=encoder_self&layer=2"
    page = visit.open(link)
    expect(page.locator(SENTENCE)).to_have_value("I see a cat.")
    heading = page.get_by_role("heading", name="Encoder self attention · layer 2 · mean of")
    expect(heading).to_be_visible()
    _head(page, 1, 2).click()
    expect(
        page.get_by_role("heading", name="Encoder self attention · layer 1 · head 2")
    ).to_be_visible()
    page.go_back()
    expect(heading).to_be_visible()


@pytest.mark.parametrize("kind", ["CSV", "JSON"])
def test_the_shown_numbers_can_be_taken_away_at_once(visit, kind, tmp_path: Path):
    page = visit.page
    page.goto(f"{visit.address}/explorer?{TINY}&layer=1&head=2&view=head")
    button = page.locator(".st-key-figure-map").get_by_role("button", name=f"{kind} · ")
    button.wait_for()
    with page.expect_download() as download:
        button.click()
    file = tmp_path / "file"
    download.value.save_as(file)
    text = file.read_text(encoding="utf-8-sig")
    assert DEFAULT_SENTENCE in text
    if kind == "JSON":
        content = json.loads(text)
        assert (content["checkpoint"], content["layer"], content["head"]) == ("tiny", 1, 2)
        weights = content["tables"]["weights"]
        sums = [sum(row[1:]) for row in weights["rows"]]
        assert sums == pytest.approx([1] * len(sums), abs=1e-5)


@pytest.mark.parametrize("visit", [PHONE], indirect=True)
@pytest.mark.parametrize("path", ["", "explorer"])
def test_a_phone_never_scrolls_sideways(visit, path):
    page = visit.open(path)
    for sentence in (DEFAULT_SENTENCE, LONG, "a" * 60):
        _type(page, sentence)
        page.wait_for_timeout(700)
        widths = page.evaluate(
            "[document.documentElement, document.querySelector('[data-testid=stMain]')]"
            ".map(element => element.scrollWidth)"
        )
        assert max(widths) <= 390


def test_the_step_slider_follows_the_keyboard(visit):
    page = visit.page
    page.goto(f"{visit.address}/explorer?panel=steps&{TINY}")
    candidates = page.locator(".candidates")
    before = candidates.inner_text()
    page.get_by_role("slider", name="Token written").focus()
    page.keyboard.press("ArrowRight")
    expect(candidates).not_to_have_text(before)


def test_lines_show_one_token_when_it_is_pointed_at(visit):
    page = visit.page
    page.goto(f"{visit.address}/explorer?panel=lines&{TINY}")
    canvas = page.locator(".stage canvas")
    canvas.wait_for()
    page.wait_for_timeout(300)
    whole = canvas.evaluate("canvas => canvas.toDataURL()")
    page.locator(".queries li").nth(1).hover()
    held = canvas.evaluate("canvas => canvas.toDataURL()")
    assert held != whole
    expect(page.locator(".unseen[aria-live]").first).to_contain_text("→")
    page.locator(".heads button").nth(1).click()
    expect(page.locator(".heads button").nth(1)).to_have_attribute("aria-pressed", "false")
