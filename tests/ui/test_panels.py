"""The other ways to show an attention: lines, step by step, after each layer."""

from __future__ import annotations

import re
from html import escape, unescape
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import torch
from streamlit.testing.v1 import AppTest

from model import load
from model.decoding.beam_tree import beam_tree
from model.decoding.sampling import sample
from model.pictures.tokens import display, display_subword
from model.trace.logit_lens import logit_lens
from model.trace.next_tokens import candidates, perplexity, ranks
from model.trace.transformer import KINDS
from tests.ui.app import blob, canvases, html_of, open_page, run, set_widget, text_of
from ui.components.attention_grid.payload import UNIT
from ui.state.address import OF_HEADS, PANELS
from ui.text.translator import translator

ROOT = Path(__file__).parents[2]
TEXTS = translator("en").texts
SENTENCE, TARGET = "I see a cat.", "Je vois un chat."

pytestmark = pytest.mark.usefixtures("checkpoints")


@pytest.fixture
def t(checkpoints):
    return load(checkpoints / "en-fr")


@pytest.fixture
def trace(t):
    return t.trace(SENTENCE, target=TARGET)


def _explorer(**link: str) -> AppTest:
    return open_page("pages/explorer.py", **({"sentence": SENTENCE, "target": TARGET} | link))


def _tokens(html: str) -> list[str]:
    return [unescape(token) for token in re.findall(r"<bdi>(.*?)</bdi>", html)]


def test_the_drawn_translation_is_looked_into_as_the_very_tokens_that_were_drawn(t):
    long = " ".join([SENTENCE] * 4)
    app = _explorer(panel="steps", sentence=long, target="")
    app.button(key="explorer.look_inside").click()
    app = run(app)
    src = torch.tensor([[token.id for token in t.trace(long).src]])
    drawn = sample(t.model, src, seed=0, **t.tokenizer.special_ids)
    subwords = [t.tokenizer.subword(id) for id in drawn.ids]
    assert len(app.select_slider[0].options) == len(subwords)
    assert [option.split(" · ", 1)[1] for option in app.select_slider[0].options] == list(
        display(subwords)
    )
    app.text_input(key="choice.target").set_value(TARGET)
    assert len(run(app).select_slider[0].options) == len(t.trace(long, target=TARGET).next_tokens)


def test_lines_hold_all_heads_of_the_layer(trace):
    app = _explorer(panel="lines", layer="2", attention="encoder_self")
    header, numbers = blob(canvases(app)[0].proto)
    weights = np.frombuffer(numbers, dtype="<u2").reshape(header["shape"]) / UNIT
    np.testing.assert_allclose(weights[0], trace.encoder_self[1], atol=1e-4)
    assert header["head"] is None
    assert header["queries"] == list(display(trace.src_tokens))


@pytest.mark.parametrize(
    ("attention", "best", "shown"),
    [("cross", (0, 1), (1, 2)), ("cross", None, (2, 3)), ("encoder_self", (0, 1), (2, 3))],
)
def test_opening_the_lines_shows_one_head_and_the_best_where_one_was_measured(
    monkeypatch, attention, best, shown
):
    monkeypatch.setattr("ui.state.aligner.best_reading_head", lambda _: best)
    app = _explorer(layer="2", head="3", attention=attention)
    app = set_widget(app, "segmented_control", "choice.panel", "lines")
    header, _ = blob(canvases(app)[0].proto)
    assert header["head"] == shown[1]
    assert f"layer {shown[0]} · head {shown[1]}" in app.header[0].value
    assert app.query_params["view"] == "head"
    named = TEXTS["lines.best"].format(layer=1, head=2)
    assert (named in text_of(app)) == (attention == "cross" and best is not None)
    assert ("rows" in app.query_params) == (attention == "cross" and best is not None)


def test_a_head_that_was_chosen_stays_when_the_lines_are_opened(monkeypatch):
    monkeypatch.setattr("ui.state.aligner.best_reading_head", lambda _: (0, 1))
    app = _explorer(layer="2", head="3", view="head")
    app = set_widget(app, "segmented_control", "choice.panel", "lines")
    assert blob(canvases(app)[0].proto)[0]["head"] == 3
    assert "layer 2 · head 3" in app.header[0].value


@pytest.mark.parametrize("cells", ["weights", "value_norms"])
def test_lines_say_what_their_full_width_is(cells):
    app = _explorer(panel="lines", layer="2", cells=cells, view="head", head="2")
    header, numbers = blob(canvases(app)[0].proto)
    shares = np.frombuffer(numbers, dtype="<u2").reshape(header["shape"]) / UNIT
    assert shares.sum(axis=-1).max() == pytest.approx(1, abs=1e-3)
    assert f"it would be {header['limit']:.3g};" in text_of(app)
    if cells == "weights":
        assert header["limit"] == 1


@pytest.mark.parametrize("step", [0, 3])
def test_a_step_shows_what_could_have_come_next(t, trace, step):
    app = _explorer(panel="steps", layer="2")
    [slider] = app.select_slider
    slider.set_value(step)
    app = run(app)
    expected = [display_subword(c.subword) for c in candidates(trace, t.tokenizer, step)]
    listed = re.search(r'<ol class="candidates">.*?</ol>', html_of(app)).group()
    assert _tokens(listed) == expected
    caption = " ".join(c.value for c in app.caption)
    assert f"Rank of this token: {ranks(trace)[step]}." in caption
    assert f"{perplexity(trace):.2f}" in caption


@pytest.mark.parametrize("view", ["mean", "head"])
def test_a_step_shows_where_the_decoder_looked(trace, view):
    app = _explorer(panel="steps", layer="2", head="3", view=view)
    app.select_slider[0].set_value(2)
    app = run(app)
    heads = slice(None) if view == "mean" else slice(2, 3)
    rows = [blob(component.proto) for component in canvases(app)[:2]]
    cross, own = (np.frombuffer(numbers, dtype="<f4") for _, numbers in rows)
    np.testing.assert_allclose(cross, trace.cross[1][heads, 2].mean(axis=0), atol=1e-6)
    np.testing.assert_allclose(own[:3], trace.decoder_self[1][heads, 2, :3].mean(axis=0), atol=1e-6)
    assert np.isnan(own[3:]).all()


@pytest.mark.parametrize("attention", KINDS)
def test_lines_have_a_left_and_a_right_and_no_rows(attention):
    said = " ".join(
        caption.value for caption in _explorer(panel="lines", attention=attention).caption
    )
    assert "Left" in said.replace("Left looks at right", "")
    assert not {"Rows", "Columns", "Cells"} & set(re.findall(r"\w+", said))


@pytest.mark.parametrize("panel", PANELS)
def test_layer_and_head_are_asked_for_where_they_change_something(panel):
    keys = {control.key for control in _explorer(panel=panel).segmented_control}
    of_heads = {"choice.layer", "choice.view", "choice.head"}
    assert keys & of_heads == (of_heads if panel in OF_HEADS else set())


def test_the_lens_shows_each_layers_guess(t, trace):
    app = _explorer(panel="logit_lens")
    lens = logit_lens(t.model, trace, k=1)
    table = re.search(r"<tbody>(.*?)</tbody>", html_of(app)).group(1)
    rows = [_tokens(row) for row in table.split("</tr>")[:-1]]
    expected = [
        [display_subword(t.tokenizer.subword(int(id))) for id in row]
        for row in lens.ids[::-1, :, 0]
    ]
    assert rows == expected


def test_a_sink_gets_a_badge(trace, monkeypatch):
    app = _explorer(layer="1")
    assert "Sink" not in html_of(app)
    whole = np.zeros_like(trace.cross)
    whole[..., 0] = 1
    monkeypatch.setattr(type(trace), "cross", property(lambda _: whole))
    app.segmented_control(key="choice.layer").set_value(2)
    app = run(app)
    assert "Sink: &lt;bos&gt; takes 100 % of this attention." in html_of(app)


def test_a_drawn_translation_can_be_looked_into(t, trace):
    app = _explorer(panel="steps")
    app.slider(key="explorer.temperature").set_value(1.5)
    app = run(app)
    app.number_input(key="explorer.seed").set_value(3)
    app = run(app)
    src = torch.tensor([[token.id for token in trace.src]])
    drawn = sample(t.model, src, temperature=1.5, seed=3, **t.tokenizer.special_ids)
    assert escape(t.decode(drawn)) in html_of(app)
    app.button(key="explorer.look_inside").click()
    app = run(app)
    assert app.query_params["target"].strip() == t.decode(drawn).strip()
    # What an untrained model draws may be too long to be read.
    assert "given by you" in html_of(app) or "use a shorter one" in html_of(app)


def test_the_beam_is_drawn_as_a_tree(t, trace):
    app = _explorer(panel="beam")
    app.segmented_control(key="explorer.beam").set_value(2)
    app = run(app)
    [chart] = app.get("vega_lite_chart")
    [table] = [pa.ipc.open_stream(d.data.data).read_pandas() for d in chart.proto.datasets]
    nodes = beam_tree(t.model, t.tokenizer, [token.id for token in trace.src], beam=2)
    assert table.token.tolist() == [display_subword(node.subword) for node in nodes]
    np.testing.assert_allclose(table.score, [node.score for node in nodes], atol=1e-6)
