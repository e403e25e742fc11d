"""A cell of the explorer's map, opened: the numbers shown are those of its head."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import parse_qsl

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from model.maps.opened_cell import open_cell
from model.pictures.tokens import display
from model.trace.transformer import KINDS
from tests.tolerance import assert_same
from tests.ui.app import html_of, link_of, open_page, run, set_widget, tables_of, text_of
from tests.ui.test_walks import picked, say_it
from ui.explorer.cell_story import number, share
from ui.text.translator import translator

TR = translator("en")
SENTENCE, TARGET = "I see a cat.", "Je vois un chat."

pytestmark = pytest.mark.usefixtures("shared_family")


def _explorer(**link: str) -> AppTest:
    given = {"sentence": SENTENCE, "target": TARGET, "view": "head", "layer": "2", "head": "3"}
    return open_page("pages/explorer.py", **given | link)


def _opened(row: int, column: int, **link: str) -> AppTest:
    return _explorer(**{"cell.row": str(row), "cell.column": str(column)} | link)


def _click(app: AppTest, row: int, column: int) -> AppTest:
    """What the browser says when somebody clicks on the map."""
    [clicks] = [c for c in app.get("bidi_component") if "cell.clicks" in c.proto.id]
    say_it(app, picked(clicks, [row, column]))
    assert not app.exception, app.exception
    return app


def _story(app: AppTest) -> str:
    """The steps, as HTML; empty where no cell is open."""
    return next((e.proto.body for e in app.get("html") if 'class="cell"' in e.proto.body), "")


def _bars(html: str) -> list[list[float]]:
    """The vectors that are drawn, from the words of their bars."""
    drawn = re.findall(r'<div class="bars".*?</div>', html)
    return [[float(n) for n in re.findall(r'title="\d+: (-?[\d.]+)"', one)] for one in drawn]


def _rows(html: str) -> list[list[str]]:
    """The texts of all tables, row by row."""
    return [
        [re.sub(r"<.*?>", "", cell) for cell in re.findall(r"<t[dh].*?>(.*?)</t[dh]>", row)]
        for row in re.findall(r"<tr.*?</tr>", html)
    ]


def _marked(app: AppTest) -> list[tuple[int, int]]:
    [marks] = [t for t in tables_of(app, "top", "left") if "weight" not in t]
    return list(marks[["top", "left"]].itertuples(index=False, name=None))


@pytest.mark.parametrize("kind", KINDS)
def test_the_numbers_are_those_of_the_head(trace, files, kind):
    files.name = "cell"
    app = _opened(3, 1, attention=kind)
    html = _story(app)
    cell = open_cell(trace, kind, layer=1, head=2, row=3, column=1)
    vectors = [cell.query, cell.key, cell.products, cell.value, cell.brought]
    names = ("query", "key", "product", "value", "brought")
    for drawn, vector, name in zip(_bars(html), vectors, names, strict=True):
        np.testing.assert_allclose(drawn, vector, atol=6e-5)  # as they are written
        assert_same(files.column("dimensions", name), vector)
    rows = _rows(html)
    for n in cell.dimensions[:4]:
        assert [str(n), *map(number, (cell.query[n], cell.key[n], cell.products[n]))] in rows
    for n in cell.neighbours(7):
        score = number(cell.scores[n]) if cell.visible[n] else "−∞"
        assert [score, share(cell.powers[n]), share(cell.weights[n]), ""] in [r[1:] for r in rows]
    assert f'<b class="role-score">{number(cell.product)}</b>' in html
    assert f"÷ √{len(cell.query)} =" in html
    assert f'<b class="role-score">{number(cell.score)}</b>' in html
    assert f'<b class="role-weight">{share(cell.weight)}</b>' in html
    for length in (np.linalg.norm(cell.value), np.linalg.norm(cell.brought), cell.row_norm):
        assert number(length) in html
    scores = np.where(cell.visible, cell.scores, -np.inf)
    assert_same(np.array(files.column("row", "score"), dtype=float), scores)
    assert_same(files.column("row", "power"), cell.powers)
    assert_same(files.column("row", "weight"), cell.weights)
    keys = trace.tgt_tokens if kind == "decoder_self" else trace.src_tokens
    assert files.column("row", "key") == list(display(keys))
    place = {"attention": kind, "layer": 2, "head": 3, "row": 4, "column": 2}
    assert place.items() <= files.json().items()


def test_keys_that_have_no_row_are_summed_up_in_one(t):
    """Seven keys are told one by one; together with the others their weights are 1."""
    sentence = "I see a cat and she sees a dog and they see us."
    weights = t.trace(sentence, target=TARGET).cross[1, 2, 3]
    cell = open_cell(t.trace(sentence, target=TARGET), "cross", layer=1, head=2, row=3, column=1)
    others = np.setdiff1d(np.arange(len(weights)), cell.neighbours(7))
    assert len(others) > 3
    rows = _rows(_story(_opened(3, 1, sentence=sentence)))
    [told] = [row for row in rows if row[0] == TR("cell.others", n=len(others))]
    assert told[2:4] == [share(cell.powers[others].sum()), share(weights[others].sum())]


def test_clicks_lists_and_buttons_open_a_cell_and_close_it(trace):
    app = _explorer()
    assert _story(app) == ""
    assert 'data-name="cell"' not in html_of(app)
    assert _marked(app) == []
    for row, column in ((2, 1), (2, 3)):
        app = _click(app, row, column)
        assert _story(app)
        assert _marked(app) == [(row, column)]
        assert {"cell.row": str(row), "cell.column": str(column)}.items() <= link_of(app).items()
    app = _click(app, 2, 3)
    assert _story(app) == ""
    assert "cell.row" not in link_of(app)
    app = set_widget(app, "selectbox", "cell.row", 3)
    assert _story(app) == ""
    app = set_widget(app, "selectbox", "cell.column", 1)
    assert _marked(app) == [(3, 1)]
    app.button(key="cell.close").click()
    assert _story(run(app)) == ""
    app = set_widget(app, "segmented_control", "choice.attention", "encoder_self")
    app.button(key="cell.strongest").click()
    weights = trace.encoder_self[1, 2]
    assert _marked(run(app)) == [np.unravel_index(weights.argmax(), weights.shape)]


def test_what_the_mask_hides_is_told():
    html = unescape(_story(_opened(1, 3, attention="decoder_self")))
    assert TR("cell.hidden") in html
    assert '<b class="role-score">−∞</b>' in html
    assert '<b class="role-weight">0</b>' in html


def test_a_cell_follows_to_another_head(trace):
    app = _opened(3, 1)
    for change, value, place in (
        ("head", 1, (1, 0)),
        ("layer", 1, (0, 0)),
        ("rows", "read", (0, 0)),
    ):
        app = set_widget(app, "segmented_control", f"choice.{change}", value)
        cell = open_cell(trace, "cross", layer=place[0], head=place[1], row=3, column=1)
        np.testing.assert_allclose(_bars(_story(app))[2], cell.products, atol=6e-5)


def test_other_tokens_close_the_cell():
    for name, value in (
        ("sentence", "She reads."),
        ("target", "Je vois un chien."),
        ("attention", "encoder_self"),
        ("unit", "words"),
        ("special", "hidden"),
    ):
        kind = "text_input" if name in ("sentence", "target") else "segmented_control"
        app = set_widget(_opened(3, 1), kind, f"choice.{name}", value)
        assert _story(app) == "", name
        assert "cell.row" not in link_of(app)
        assert not app.toast


@pytest.mark.parametrize("view", ["mean", "max", "layers", "rollout"])
def test_a_map_of_several_heads_leads_to_the_one_that_looks_most(trace, view):
    app = _opened(3, 1, view=view, attention="encoder_self")
    assert _story(app) == ""
    maps = trace.encoder_self if view == "layers" else trace.encoder_self[1:]
    most = share(maps[:, :, 3, 1].max())
    assert most in text_of(app)
    app.button(key="cell.open_head").click()
    app = run(app)
    assert f'<b class="role-weight">{most}</b>' in _story(app)
    layer, head = (int(link_of(app).get(name, "1")) for name in ("layer", "head"))
    assert share(trace.encoder_self[layer - 1, head - 1, 3, 1]) == most


def test_where_a_cell_is_no_weight_of_the_model_a_sentence_says_so():
    for other in ({"unit": "words"}, {"special": "hidden"}, {"cells": "value_norms"}):
        app = _opened(2, 1, **other)
        assert _story(app) == ""
        assert TR("cell.plain") in text_of(app)
        app.button(key="cell.show_plain").click()
        assert _story(_click(run(app), 2, 2))


def test_a_link_to_the_lesson_leads_to_the_same_numbers(t):
    app = _opened(2, 1, target="", attention="cross")
    [door] = [link for link in app.get("page_link") if link.proto.label == TR("cell.lesson")]
    query = dict(parse_qsl(door.proto.query_string))
    assert query["qkv.picked"] == "product-2-2-1"
    lesson = open_page("pages/qkv.py", **query)
    cell = open_cell(t.trace(SENTENCE), "cross", layer=1, head=2, row=2, column=1)
    assert lesson.code[-1].value.splitlines()[0].startswith("product[2, 2, 1]")
    last = lesson.code[-1].value.splitlines()[-1].replace("−", "-")
    assert float(last.strip(" =")) == pytest.approx(cell.product, abs=1e-3)


def test_no_door_and_no_cell_where_there_is_nothing_behind_it():
    assert TR("cell.not_in_lesson") in text_of(_opened(2, 1))
    doors = [link.proto.label for link in _opened(2, 1, attention="encoder_self").get("page_link")]
    assert TR("cell.lesson") in doors
    app = _opened(3, 1, **{"map.hidden_row": "4"})
    assert _story(app) == ""
    app.button(key="map.reveal").click()
    assert _story(run(app))
