"""A cell of the explorer's map, opened: the numbers shown are those of its head."""

from __future__ import annotations

import re
from html import unescape

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from model import load
from model.maps.opened_cell import open_cell
from model.trace.transformer import KINDS
from tests.ui.app import html_of, open_page, run, set_widget, tables_of, text_of
from tests.ui.test_walks import picked, say_it
from ui.explorer.cell_story import number, share
from ui.text.translator import translator

TR = translator("en")
SENTENCE, TARGET = "I see a cat.", "Je vois un chat."

pytestmark = pytest.mark.usefixtures("checkpoints")


def _explorer(**link: str) -> AppTest:
    given = {"sentence": SENTENCE, "target": TARGET, "view": "head", "layer": "2", "head": "3"}
    return open_page("pages/explorer.py", **(given | link))


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
    return [
        (int(row), int(column)) for row, column in zip(marks["top"], marks["left"], strict=True)
    ]


@pytest.fixture
def trace(checkpoints):
    return load(checkpoints / "en-fr").trace(SENTENCE, target=TARGET)


@pytest.mark.parametrize("kind", KINDS)
def test_the_numbers_are_those_of_the_head(trace, kind):
    html = _story(_opened(3, 1, attention=kind))
    cell = open_cell(trace, kind, layer=1, head=2, row=3, column=1)
    vectors = [cell.query, cell.key, cell.products, cell.value, cell.brought]
    for drawn, vector in zip(_bars(html), vectors, strict=True):
        np.testing.assert_allclose(drawn, vector, atol=6e-5)
    rows = _rows(html)
    for n in cell.dimensions[:4]:
        assert [str(n), *map(number, (cell.query[n], cell.key[n], cell.products[n]))] in rows
    for n in cell.neighbours(7):
        score = number(cell.scores[n]) if cell.visible[n] else "−∞"
        assert [score, share(cell.powers[n]), share(cell.weights[n]), ""] in [r[1:] for r in rows]
    assert f'<b class="role-score">{number(cell.score)}</b>' in html
    assert f'<b class="role-weight">{share(cell.weight)}</b>' in html
    assert number(cell.row_norm) in html


def test_a_click_opens_a_cell_and_a_second_one_closes_it():
    app = _explorer()
    assert _story(app) == ""
    assert _marked(app) == []
    app = _click(app, 2, 1)
    assert _story(app)
    assert _marked(app) == [(2, 1)]
    assert [app.query_params[name] for name in ("cell.row", "cell.column")] == ["2", "1"]
    app = _click(app, 2, 3)
    assert _marked(app) == [(2, 3)]
    app = _click(app, 2, 3)
    assert _story(app) == ""
    assert "cell.row" not in app.query_params


def test_a_row_and_a_column_open_a_cell_and_a_button_closes_it():
    app = set_widget(_explorer(), "selectbox", "cell.row", 2)
    assert _story(app) == ""
    app = set_widget(app, "selectbox", "cell.column", 1)
    assert _marked(app) == [(2, 1)]
    app.button(key="cell.close").click()
    assert _story(run(app)) == ""


def test_the_strongest_cell_is_one_press_away(trace):
    app = _explorer(attention="encoder_self")
    app.button(key="cell.strongest").click()
    [(row, column)] = _marked(run(app))
    weights = trace.encoder_self[1, 2]
    assert weights[row, column] == weights.max()


def test_what_the_mask_hides_is_told():
    html = unescape(_story(_opened(1, 3, attention="decoder_self")))
    assert TR("cell.hidden") in html
    assert "−∞" in html
    assert '<b class="role-weight">0</b>' in html


@pytest.mark.parametrize("change", ["head", "layer", "rows"])
def test_a_cell_follows_to_another_head(trace, change):
    app = _opened(3, 1)
    value = {"head": 1, "layer": 1, "rows": "read"}[change]
    app = set_widget(app, "segmented_control", f"choice.{change}", value)
    layer, head = (0 if change == "layer" else 1), (0 if change == "head" else 2)
    cell = open_cell(trace, "cross", layer=layer, head=head, row=3, column=1)
    np.testing.assert_allclose(_bars(_story(app))[2], cell.products, atol=6e-5)


@pytest.mark.parametrize(
    ("kind", "key", "value"),
    [
        ("text_input", "choice.sentence", "She reads."),
        ("text_input", "choice.target", "Je vois un chien."),
        ("segmented_control", "choice.attention", "encoder_self"),
        ("segmented_control", "choice.unit", "words"),
        ("segmented_control", "choice.special", "hidden"),
    ],
)
def test_other_tokens_close_the_cell(kind, key, value):
    app = set_widget(_opened(3, 1), kind, key, value)
    assert _story(app) == ""
    assert "cell.row" not in app.query_params
    assert not app.toast


@pytest.mark.parametrize("junk", ["99", "-2", "x", "1e3", ""])
def test_junk_opens_nothing_and_is_told(junk):
    app = _explorer(**{"cell.row": junk, "cell.column": "1"})
    assert _story(app) == ""
    assert "cell.row" in app.toast[0].value
    assert "cell.row" not in app.query_params


@pytest.mark.parametrize("view", ["mean", "max", "layers", "rollout"])
def test_a_map_of_several_heads_leads_to_the_one_that_looks_most(trace, view):
    app = _opened(3, 1, view=view, attention="encoder_self")
    assert _story(app) == ""
    maps = trace.encoder_self if view == "layers" else trace.encoder_self[1:]
    assert share(maps[:, :, 3, 1].max()) in text_of(app)
    app.button(key="cell.open_head").click()
    app = run(app)
    assert f'<b class="role-weight">{share(maps[:, :, 3, 1].max())}</b>' in _story(app)


@pytest.mark.parametrize(
    "other", [{"unit": "words"}, {"special": "hidden"}, {"cells": "value_norms"}]
)
def test_where_a_cell_is_no_weight_of_the_model_a_sentence_says_so(other):
    app = _opened(2, 1, **other)
    assert _story(app) == ""
    assert TR("cell.plain") in text_of(app)
    app.button(key="cell.show_plain").click()
    app = _click(run(app), 2, 2)
    assert _story(app)


def test_a_link_to_the_lesson_leads_to_the_same_numbers(checkpoints):
    app = _opened(2, 1, target="", attention="cross")
    [door] = [link for link in app.get("page_link") if link.proto.label == TR("cell.lesson")]
    query = dict(part.split("=", 1) for part in door.proto.query_string.split("&"))
    assert query["qkv.picked"] == "product-2-2-1"
    lesson = open_page(
        "pages/qkv.py", sentence=SENTENCE, **{k: v for k, v in query.items() if k != "sentence"}
    )
    trace = load(checkpoints / "en-fr").trace(SENTENCE)
    cell = open_cell(trace, "cross", layer=1, head=2, row=2, column=1)
    assert lesson.code[-1].value.splitlines()[0].startswith("product[2, 2, 1]")
    last = lesson.code[-1].value.splitlines()[-1].replace("−", "-")
    assert float(last.strip(" =")) == pytest.approx(cell.product, abs=1e-3)


def test_the_lesson_is_no_door_where_it_has_another_translation():
    assert TR("cell.not_in_lesson") in text_of(_opened(2, 1))
    doors = [link.proto.label for link in _opened(2, 1, attention="encoder_self").get("page_link")]
    assert TR("cell.lesson") in doors


def test_a_row_that_the_class_is_asked_for_is_not_opened():
    app = _opened(3, 1, **{"map.hidden_row": "4"})
    assert _story(app) == ""
    app.button(key="map.reveal").click()
    assert _story(run(app))


def test_nothing_is_computed_before_somebody_asks(monkeypatch):
    def never(*_, **__):
        raise AssertionError("a cell was opened")

    monkeypatch.setattr("ui.explorer.opened_cell.open_cell", never)
    assert _story(_explorer()) == ""
    assert 'data-name="cell"' not in html_of(_explorer())
