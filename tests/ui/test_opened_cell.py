"""An opened cell of the explorer's map shows the numbers of its head."""

import re
from dataclasses import replace
from html import unescape
from urllib.parse import parse_qsl

import numpy as np
import pytest

from model.maps.opened_cell import open_cell
from model.pictures.tokens import display
from model.pictures.web_bundle import read_web
from model.transformer.heads import KINDS
from tests.tolerance import assert_same
from tests.ui.app import blob
from tests.ui.drawn import EN, TARGET, Page, opens
from ui.explorer.cell_story import Story, number, share
from ui.explorer.shown_map import ShownMap
from ui.export.tables import Labels

LESSON = EN("cell.lesson")
_explorer = opens("explorer", target=TARGET, view="head", layer="2", head="3")


def _opened(row: int, column: int, **link: str) -> Page:
    return _explorer(**{"cell.row": str(row), "cell.column": str(column)} | link)


def _story(page: Page) -> str:
    """Return the steps as HTML; empty if no cell is open."""
    return next((e.proto.body for e in page.app.get("html") if 'class="cell"' in e.proto.body), "")


def _bars(html: str) -> list[list[float]]:
    """Return the drawn vectors, read from the descriptions of their bars."""
    drawn = re.findall(r'<div class="bars".*?</div>', html)
    numbers = [re.findall(r'title="\d+: (−?[\d.]+)"', bar) for bar in drawn]
    return [[float(n.replace("−", "-")) for n in vector] for vector in numbers]


def _heights(html: str) -> list[list[float]]:
    """Return the heights of the same bars, in percent."""
    drawn = re.findall(r'<div class="bars".*?</div>', html)
    return [[float(n) for n in re.findall(r"height:([\d.]+)%", bar)] for bar in drawn]


def _rows(html: str) -> list[list[str]]:
    """Return the texts of all tables, row by row."""
    return [
        [re.sub(r"<.*?>", "", cell) for cell in re.findall(r"<t[dh].*?>(.*?)</t[dh]>", row)]
        for row in re.findall(r"<tr.*?</tr>", html)
    ]


def _marked(page: Page) -> list[list[int]]:
    picked = blob(page.component("map").proto)[0]["clicked"]
    return [picked[1:]] if picked else []


@pytest.mark.parametrize("kind", KINDS)
def test_an_opened_cell_shows_the_numbers_of_the_head(given, files, kind):
    files.name = "cell"
    page = _opened(3, 1, attention=kind)
    html = _story(page)
    cell = open_cell(given, kind, layer=1, head=2, row=3, column=1)
    vectors = [cell.query, cell.key, cell.products, cell.value, cell.weighted_value]
    names = ("query", "key", "product", "value", "brought")
    for drawn, vector, name in zip(_bars(html), vectors, names, strict=True):
        # the precision in which numbers are written
        np.testing.assert_allclose(drawn, vector, atol=6e-5)
        assert_same(files.column("dimensions", name), vector)
    # Query and key have one scale, value and weighted value another; the longest bar is 50% high.
    largest = [np.abs(vector).max() for vector in vectors]
    of_both = max(largest[:2])
    limits = [of_both, of_both, largest[2], largest[3], largest[3]]
    for heights, vector, limit in zip(_heights(html), vectors, limits, strict=True):
        np.testing.assert_allclose(heights, 50 * np.abs(vector) / limit, atol=0.06)
    rows = _rows(html)
    for n in cell.dimensions_by_size[:4]:
        assert [str(n), *map(number, (cell.query[n], cell.key[n], cell.products[n]))] in rows
    for n in cell.strongest_columns(7):
        score = number(cell.scores[n]) if cell.visible[n] else "−∞"
        assert [score, share(cell.powers[n]), share(cell.weights[n]), ""] in [r[1:] for r in rows]
    assert f'<b class="role-score">{number(cell.product)}</b>' in html
    assert f"÷ √{len(cell.query)} =" in html
    assert f'<b class="role-score">{number(cell.score)}</b>' in html
    assert f'<b class="role-weight">{share(cell.weight)}</b>' in html
    for length in (np.linalg.norm(cell.value), np.linalg.norm(cell.weighted_value), cell.row_norm):
        assert number(length) in html
    scores = np.where(cell.visible, cell.scores, -np.inf)
    assert_same(np.array(files.column("row", "score"), dtype=float), scores)
    assert_same(files.column("row", "power"), cell.powers)
    assert_same(files.column("row", "weight"), cell.weights)
    keys = given.tgt_tokens if kind == "decoder_self" else given.src_tokens
    assert files.column("row", "key") == list(display(keys))
    cell_fields = {"attention": kind, "layer": 2, "head": 3, "row": 4, "column": 2}
    assert cell_fields.items() <= files.json().items()


def test_a_model_that_does_not_divide_says_what_it_adds_instead(given):
    """T5 adds a number for the distance in its self-attentions, and nothing between sentences."""
    labels = Labels(display(given.next_tokens), display(given.src_tokens))
    plain = open_cell(given, "cross", layer=1, head=2, row=3, column=1, scaling=1.0)
    story = unescape(Story(plain, labels, EN).html())
    product = f'<b class="role-score">{number(plain.product)}</b>'
    assert EN("cell.scale_nothing") in story
    assert f"{product} <span>=</span> {product}" in story
    biased = replace(plain, position_bias=np.array([0, -0.25, *[0] * 5]))
    story = unescape(Story(biased, labels, EN).html())
    score = f'<b class="role-score">{number(plain.product - 0.25)}</b>'
    assert EN("cell.scale_distance", distance=-2) in story
    assert f"{product} <span>+ (−0.250) =</span> {score}" in story


def test_keys_that_have_no_row_are_summed_up_in_one(t):
    """Seven keys have a row each. One more row has the sum of all others."""
    sentence = "I see a cat and she sees a dog and they see us."
    cell = open_cell(t.trace(sentence, target=TARGET), "cross", layer=1, head=2, row=3, column=1)
    others = np.setdiff1d(np.arange(len(cell.weights)), cell.strongest_columns(7))
    assert len(others) > 3
    rows = _rows(_story(_opened(3, 1, sentence=sentence)))
    [others_row] = [row for row in rows if row[0] == EN("cell.others", n=len(others))]
    assert others_row[2:4] == [
        share(values[others].sum()) for values in (cell.powers, cell.weights)
    ]


def test_clicks_lists_and_buttons_open_and_close_a_cell(given, monkeypatch):
    page = _explorer()
    assert _story(page) == ""
    assert 'data-name="cell"' not in page.html
    assert _marked(page) == []
    for row, column in ((2, 1), (2, 3)):
        page.click("map", [0, row, column])
        assert _story(page)
        assert _marked(page) == [[row, column]]
        assert {"cell.row": str(row), "cell.column": str(column)}.items() <= page.link.items()
    assert _story(page.click("map", [0, 2, 3])) == ""
    assert "cell.row" not in page.link
    assert _story(page.use({"cell.row": 3})) == ""
    assert _marked(page.use({"cell.column": 1})) == [[3, 1]]
    assert _story(page.press("cell.close")) == ""
    page.use({"choice.attention": "encoder_self"}).press("cell.strongest")
    weights = given.encoder_self[1, 2]
    row, column = np.unravel_index(weights.argmax(), weights.shape)
    assert _marked(page) == [[row, column]]
    # A sink, which gets much weight in most rows, does not count as the strongest key.
    monkeypatch.setattr(ShownMap, "sink", column)
    page.use({"cell.row": -1}).press("cell.strongest")
    others = np.delete(weights, column, axis=1).max()
    assert _marked(page) == [[*np.argwhere(weights == others)[0]]]


def test_a_cell_that_the_mask_hides_is_explained():
    html = unescape(_story(_opened(1, 3, attention="decoder_self")))
    for words in (
        EN("cell.hidden"),
        '<b class="role-score">−∞</b>',
        '<b class="role-weight">0</b>',
    ):
        assert words in html


def test_an_opened_cell_stays_open_for_another_head_and_closes_for_other_tokens(given):
    page = _opened(3, 1)
    for change, value, layer in (("head", 1, 1), ("layer", 1, 0), ("rows", "read", 0)):
        page.use({f"choice.{change}": value})
        cell = open_cell(given, "cross", layer=layer, head=0, row=3, column=1)
        np.testing.assert_allclose(_bars(_story(page))[2], cell.products, atol=6e-5)
    changes = {"sentence": "She reads.", "target": "Je vois un chien.", "unit": "words"}
    for name, value in (changes | {"attention": "encoder_self", "special": "hidden"}).items():
        page = _opened(3, 1).use({f"choice.{name}": value})
        assert _story(page) == "", name
        assert "cell.row" not in page.link
        assert not page.app.toast


@pytest.mark.parametrize("view", ["mean", "max", "layers", "rollout"])
def test_a_map_of_several_heads_offers_the_head_with_the_largest_weight(given, view):
    page = _opened(3, 1, view=view, attention="encoder_self")
    assert _story(page) == ""
    maps = given.encoder_self if view == "layers" else given.encoder_self[1:]
    most = share(maps[:, :, 3, 1].max())
    assert most in page.text
    assert f'<b class="role-weight">{most}</b>' in _story(page.press("cell.open_head"))
    layer, head = (int(page.link.get(name, "1")) for name in ("layer", "head"))
    assert share(given.encoder_self[layer - 1, head - 1, 3, 1]) == most


def test_a_cell_that_is_not_a_weight_of_the_model_gets_a_message():
    for other in ({"unit": "words"}, {"special": "hidden"}, {"cells": "value_norms"}):
        page = _opened(2, 1, **other)
        assert _story(page) == ""
        assert EN("cell.plain") in page.text
        assert _story(page.press("cell.show_plain").click("map", [0, 2, 2]))
    page = _opened(3, 1, **{"map.hidden_row": "4"})
    assert _story(page) == ""
    assert _story(page.press("map.reveal"))


def test_a_link_leads_to_the_same_numbers_in_the_lesson(trace):
    page = _opened(2, 1, target="", attention="cross")
    [door] = [link.proto for link in page.app.get("page_link") if link.proto.label == LESSON]
    query = dict(parse_qsl(door.query_string))
    assert query["qkv.picked"] == "product-2-2-1"
    codes = Page("qkv", **query).app.code
    [worksheet] = [block.value for block in codes if block.language != "python"]
    first, *_, last = worksheet.splitlines()
    cell = open_cell(trace, "cross", layer=1, head=2, row=2, column=1)
    assert first.startswith("product[2, 2, 1]")
    assert float(last.replace("−", "-").strip(" =")) == pytest.approx(cell.product, abs=1e-3)
    # the lesson has no given target
    for attention, there in (("cross", False), ("encoder_self", True)):
        page = _opened(2, 1, attention=attention)
        assert (LESSON in page.links) == (EN("cell.not_in_lesson") not in page.text) == there


def test_the_scale_and_the_mask_need_only_half_the_width():
    page = _opened(3, 1)
    short = re.findall(r'<li( class="short")? style="--step:(\d)"', _story(page))
    assert [number for kind, number in short if kind] == ["1", "2"]
    assert len(short) == 5
    assert f"<style>{read_web('app/opened_cell.css')}</style>" in page.html
