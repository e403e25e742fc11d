"""Lesson 7 as Streamlit runs it: boxes, walk and numbers are those of the checkpoint."""

from __future__ import annotations

import json
from html import escape
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from model import load
from model.checkpoint.checkpoint import save_checkpoint
from model.lessons.architecture.parts import parts
from model.lessons.architecture.token_way import Stop, looks_at, next_stop
from model.pictures.tokens import display, display_subword
from model.trace.next_tokens import candidates
from model.transformer.config import ModelConfig
from model.transformer.transformer import Transformer
from tests.ui.app import html_of, open_page, run, set_widget
from ui.frame.page import PAGES
from ui.lessons.architecture.words import page_of

ROOT = Path(__file__).parents[2]
SENTENCE = "I see a cat."

pytestmark = pytest.mark.usefixtures("checkpoints")


@pytest.fixture
def model(checkpoints):
    return load(checkpoints / "en-fr")


@pytest.fixture
def trace(model):
    return model.trace(SENTENCE)


def _lesson(**link: str) -> AppTest:
    return open_page("pages/architecture.py", **({"sentence": SENTENCE} | link))


def _next(app: AppTest, name: str = "next") -> AppTest:
    app.button(key=f"architecture.{name}").click()
    return run(app)


def _pick(app: AppTest, part: str) -> AppTest:
    """As a click on a box does."""
    app.session_state["architecture.part"] = part
    return run(app)


def _figures(app: AppTest) -> list[dict]:
    sent = (json.loads(one.proto.json or "{}") for one in app.get("bidi_component"))
    return [values for values in sent if "boxes" in values]


def _figure(app: AppTest) -> dict:
    [figure] = _figures(app)
    return figure


def _picked(app: AppTest) -> str:
    figure = _figure(app)
    box = figure["boxes"][figure["picked"]]
    return f"{box['stack']}.{box['kind']}"


def _text(app: AppTest) -> str:
    return "\n".join(element.value for element in app.markdown)


def test_the_figure_is_that_of_the_checkpoint(model, trace):
    figure = _figure(_lesson())
    boxes = parts(model.model)
    assert [(b["stack"], b["kind"], b["in_block"]) for b in figure["boxes"]] == [
        (p.stack, p.kind, p.in_block) for p in boxes
    ]
    counts = {f"{b['stack']}.{b['kind']}": b["count"] for b in figure["boxes"]}
    for part in boxes:
        expected = "shared" if part.shared_with else f"{part.n_parameters:,}".removeprefix("0")
        assert counts[part.name] == expected
    assert figure["n_layers"] == model.config.n_layers
    assert f"{model.n_parameters:,} parameters" in figure["facts"]
    labels = {f"{b['stack']}.{b['kind']}": b["label"] for b in figure["boxes"]}
    assert labels["encoder.tokens"] == display(trace.src_tokens)[1]
    assert labels["decoder.tokens"] == "<bos>"
    assert labels["decoder.next_token"] == display(trace.next_tokens)[0]


def test_a_post_norm_checkpoint_is_drawn_and_walked_through(checkpoints, tokenizer):
    config = ModelConfig(
        vocab_size=tokenizer.vocab_size, d_model=8, n_heads=2, n_layers=1, d_ff=5, norm="post"
    )
    save_checkpoint(checkpoints / "post", Transformer(config).eval(), tokenizer, {})
    app = _lesson(checkpoint="post")
    boxes = parts(load(checkpoints / "post").model)
    assert [b["kind"] for b in _figure(app)["boxes"]] == [p.kind for p in boxes]
    assert "post-norm" in _figure(app)["facts"]
    for part in boxes:
        assert _picked(_pick(app, part.name)) == part.name


def test_every_box_shows_its_shapes_its_parameters_and_a_lesson(model, trace):
    app = _lesson(layer="2")
    for part in parts(model.model):
        app = _pick(app, part.name)
        assert _picked(app) == part.name
        html = html_of(app)
        for record in part.records:
            values = trace.records[record.format(layer=1)]
            assert f">{record.split('.')[-1]}</b>" in html
            for size in values.shape:
                assert f"<small>{size}</small>" in html
        if part.shared_with:
            assert "**shared**" in _text(app)
        elif part.n_parameters:
            total = part.n_parameters * part.repeats
            assert f"**{part.n_parameters:,} parameters**" in _text(app)
            assert f"{100 * total / model.n_parameters:.1f} % of the model" in _text(app)
        else:
            assert "**Nothing is learned here.**" in _text(app)
        pages = [link.proto.page for link in app.get("page_link")]
        assert Path(PAGES[page_of(part)]).stem in pages


def test_the_numbers_are_the_tokens(trace):
    app = _pick(_lesson(layer="2"), "encoder.ffn")
    app = set_widget(app, "selectbox", "architecture.source", 3)
    for name in ("resid_mid", "ffn.hidden", "resid_post"):
        vector = trace.records[f"encoder.1.{name}"][3]
        written = " ".join(f"{x:.2f}".replace("-", "−") for x in vector[:4])
        assert (
            f"<code>{written} …</code><small>norm {np.linalg.norm(vector):.1f}</small>"
            in html_of(app)
        )
    first = trace.records["encoder.0.resid_post"][3]
    app = set_widget(app, "segmented_control", "choice.layer", 1)
    assert f"norm {np.linalg.norm(first):.1f}" in html_of(app)
    assert _figure(app)["layer"] == 0


@pytest.mark.parametrize("name", ["encoder.self", "decoder.self", "decoder.cross"])
def test_where_the_token_looks(model, trace, name):
    app = set_widget(_lesson(layer="2"), "selectbox", "architecture.target", 1)
    app = _pick(app, name)
    part = next(p for p in parts(model.model) if p.name == name)
    weights = looks_at(trace, part, Stop(name, 1, 1, 1))
    keys = display(trace.tgt_tokens if name == "decoder.self" else trace.src_tokens)
    best = int(weights.argmax())
    assert f"<bdi>{escape(keys[best])}</bdi>" in html_of(app)
    assert f"<small>{weights[best]:.3f}</small>" in html_of(app)


def test_next_and_back_walk_from_the_token_to_the_next_one(model, trace):
    app = _lesson()
    assert app.button(key="architecture.back").disabled
    stop, boxes = Stop("encoder.tokens", 1, 1, 0), parts(model.model)
    for _ in range(9):
        stop = next_stop(stop, boxes, len(trace.next_tokens))
        app = _next(app)
        assert _picked(app) == stop.part
        if stop.part.endswith((".self", ".ffn")):
            assert _figure(app)["layer"] == stop.layer
    assert _picked(_next(_next(app, "back"))) == stop.part


def test_what_to_try_works(model, trace):
    app = _pick(_lesson(), "decoder.softmax")
    for candidate in candidates(trace, model.tokenizer, 0, k=5):
        assert f"<bdi>{escape(display_subword(candidate.subword))}</bdi>" in html_of(app)
        assert f"<small>{candidate.probability:.3f}</small>" in html_of(app)
    app = _next(_next(app))
    assert _picked(app) == "decoder.tokens"
    assert app.selectbox(key="architecture.target").value == 1
    read = next(
        b for b in _figure(app)["boxes"] if (b["stack"], b["kind"]) == ("decoder", "tokens")
    )
    assert read["label"] == display(trace.next_tokens)[0]


def test_behind_the_last_token_there_is_no_next_one(trace):
    app = set_widget(_lesson(), "selectbox", "architecture.target", len(trace.next_tokens) - 1)
    assert app.button(key="architecture.next").disabled is False
    assert _pick(app, "decoder.next_token").button(key="architecture.next").disabled


def test_a_shorter_sentence_keeps_the_walk_alive(trace):
    app = set_widget(_lesson(), "selectbox", "architecture.source", len(trace.src) - 1)
    app = set_widget(app, "selectbox", "architecture.target", len(trace.tgt_tokens) - 1)
    app = set_widget(_pick(app, "decoder.cross"), "text_input", "choice.sentence", "I")
    assert _picked(app) == "decoder.cross"
    assert app.selectbox(key="architecture.source").value < len(trace.src) - 1


def test_the_layer_of_the_explorer_comes_along_and_outlives_a_box_without_layers():
    app = _pick(_lesson(layer="2"), "encoder.self")
    assert app.segmented_control(key="choice.layer").value == 2
    app = _pick(_pick(app, "decoder.softmax"), "decoder.self")
    assert app.segmented_control(key="choice.layer").value == 2


@pytest.mark.parametrize("sentence", ["", "word " * 1000])
def test_what_cannot_be_read_gets_a_sentence_and_the_questions_stay(sentence):
    app = set_widget(_lesson(), "text_input", "choice.sentence", sentence)
    assert 'role="alert"' in html_of(app)
    assert not _figures(app)
    assert "What a class asks" in [heading.value for heading in app.header]


def test_every_question_leads_to_an_experiment():
    """The last four links of the page, and each says the name of a page and its experiment."""
    links = [link.proto for link in _lesson().get("page_link")][-4:]
    assert [link.page for link in links] == ["scaling", "masks", "cost", "cost"]
    for link, view in zip(
        links, ("Other scores", "Learning to cheat", "In memory", "On paper"), strict=True
    ):
        assert view in link.label
