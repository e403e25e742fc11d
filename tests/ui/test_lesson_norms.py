"""Lesson 5 as Streamlit runs it: every control changes what is drawn, to what the model says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from model import load
from model.lessons.norms.feed_forward_experiment import (
    change_one_position,
    ffn_input,
    firing,
    strongest_units,
)
from model.lessons.norms.gradient_experiment import measure_start
from model.lessons.norms.normalisation import batch_norm, draw_batch, layer_norm, padding_change
from model.trace.residual_stream import additions, norms
from tests.ui.app import (
    canvases,
    html_of,
    matrices_of,
    open_page,
    run,
    set_widget,
    tables_of,
    text_of,
)

ROOT = Path(__file__).parents[2]
SENTENCE = "I see a cat."

pytestmark = pytest.mark.usefixtures("checkpoints")


@pytest.fixture
def model(checkpoints):
    return load(checkpoints / "en-fr")


@pytest.fixture
def trace(model):
    return model.trace(SENTENCE)


def _lesson(view: str = "stream", **link: str) -> AppTest:
    return open_page("pages/norms.py", **({"sentence": SENTENCE, "show": view} | link))


def _numbers(app: AppTest) -> list[np.ndarray]:
    """The numbers of all matrices, from top to bottom."""
    return [numbers for _, numbers in matrices_of(app)]


def _series(app: AppTest, group: str, value: str) -> list[dict[str, np.ndarray]]:
    """Name to numbers of every chart whose data have these columns."""
    return [
        {name: rows[value].to_numpy() for name, rows in table.groupby(group, sort=False)}
        for table in tables_of(app, group, value)
    ]


def _columns(app: AppTest) -> list[dict[str, np.ndarray]]:
    return _series(app, "name", "value")


def _curves(app: AppTest) -> list[dict[str, np.ndarray]]:
    return _series(app, "curve", "y")


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
@pytest.mark.parametrize("measure", ["norm", "added", "share", "cosine"])
def test_the_stream_is_that_of_the_sentence(trace, stack, measure):
    app = set_widget(_lesson(), "segmented_control", "norms.stream_stack", stack)
    app = set_widget(app, "segmented_control", "norms.measure", measure)
    steps = additions(trace, stack)
    rows = {
        "norm": [norms(steps[0].before), *(norms(step.after) for step in steps)],
        "added": [norms(step.added) for step in steps],
        "share": [norms(step.added) / norms(step.before) for step in steps],
        "cosine": [step.cosine for step in steps],
    }[measure]
    [shown] = _numbers(app)
    np.testing.assert_allclose(shown, np.stack(rows, axis=1), rtol=1e-5)
    assert "This model is pre-norm" in text_of(app)


def test_a_token_is_followed(trace):
    app = _lesson()
    app.session_state["norms.stream_token"] = (3,)
    before, added = _columns(run(app))[0].values()
    steps = additions(trace, "encoder")
    np.testing.assert_allclose(before, [norms(step.before)[3] for step in steps], rtol=1e-5)
    np.testing.assert_allclose(added, [norms(step.added)[3] for step in steps], rtol=1e-5)
    assert trace.src_tokens[3].strip() in html_of(app)


def test_a_shorter_sentence_keeps_the_page_alive(trace):
    for view, key in (("stream", "norms.stream_token"), ("feed_forward", "norms.ffn_token")):
        app = _lesson(view)
        app.session_state[key] = (len(trace.src) - 1,)
        app = set_widget(run(app), "text_input", "choice.sentence", "I")
        assert _numbers(app)[0].shape[0] < len(trace.src)


@pytest.mark.parametrize(("n_padding", "seed"), [(0, 1), (3, 1), (1, 8)])
def test_both_norms_of_the_drawn_batch(n_padding, seed):
    app = set_widget(_lesson("padding"), "slider", "norms.padding", n_padding)
    app = set_widget(app, "number_input", "norms.batch_seed", seed)
    x = draw_batch(seed, lengths=(3, 2), n_padding=n_padding, d_model=5).flatten(0, 1)
    for shown, expected in zip(_numbers(app), (x, layer_norm(x), x, batch_norm(x)), strict=True):
        np.testing.assert_allclose(shown, expected, atol=1e-6)
    assert f"becomes **{float(layer_norm(x)[1, 2]):.2f}**".replace("-", "−") in text_of(app)
    assert f"the {len(x)} numbers of a *column*" in text_of(app)
    assert f"becomes **{float(batch_norm(x)[1, 2]):.2f}**".replace("-", "−") in text_of(app)


def test_another_cell_is_explained():
    app = _lesson("padding")
    app.session_state["norms.cell"] = (4, 0)
    app = run(app)
    row = int(app.number_input(key="norms.batch_seed").value)
    x = draw_batch(row, lengths=(3, 2), n_padding=1, d_model=5).flatten(0, 1)
    assert f"mean {float(x[4].mean()):.2f}".replace("-", "−") in text_of(app)
    assert f"mean {float(x[:, 0].mean()):.2f}".replace("-", "−") in text_of(app)


def test_padding_behind_the_sentence_moves_batch_norm_alone(model, trace):
    layer, batch = _curves(_lesson("padding"))[0].values()
    x = torch.tensor(trace.records["encoder.embedded"])
    pads = torch.full((1, 32), model.tokenizer.pad_id)
    with torch.no_grad():
        padding = model.model.src_embedding(pads, first=len(x))[0]
    assert not layer.any()
    assert batch[0] == 0
    assert batch[32] == pytest.approx(padding_change(batch_norm, x, padding), rel=1e-4)


def test_a_sentence_of_full_length_has_no_room_for_padding(model):
    limit = model.config.max_length
    app = _lesson("padding", sentence="I " * ((limit - 2) // 2))
    n = len(model.trace("I " * ((limit - 2) // 2)).src)
    assert len(_curves(app)[0]["LayerNorm"]) == limit - n + 1


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_the_gradients_are_measured(stack):
    app = set_widget(_lesson("order"), "segmented_control", "norms.order_stack", stack)
    app = set_widget(app, "select_slider", "norms.order_depth", 4)
    app = set_widget(app, "number_input", "norms.order_seed", 5)
    for (name, shown), wiring in zip(_curves(app)[0].items(), ("post", "pre"), strict=True):
        assert name.startswith(wiring)
        expected = measure_start(wiring, 4, 5)[stack].gradients
        np.testing.assert_allclose(shown, expected, rtol=1e-9)


def test_what_to_try_works():
    app = set_widget(_lesson("order"), "select_slider", "norms.order_depth", 2)
    shallow = _curves(app)[0]["post-norm"]
    deep = _curves(set_widget(app, "select_slider", "norms.order_depth", 24))[0]["post-norm"]
    assert len(deep) == 24
    assert deep[0] < shallow[0] / 100
    assert deep[-1] > 100 * deep[0]


def test_both_blocks_are_drawn():
    specs = [chart.proto.spec for chart in _lesson("order").get("vega_lite_chart")]
    assert len(specs) == 3


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_without_the_path(stack):
    app = set_widget(_lesson("path"), "segmented_control", "norms.path_stack", stack)
    app = set_widget(app, "select_slider", "norms.path_depth", 12)
    app = set_widget(app, "number_input", "norms.path_seed", 2)
    gradients, spread = (list(curves.values()) for curves in _curves(app))
    for place, wiring in enumerate(("pre", "none")):
        start = measure_start(wiring, 12, 2)[stack]
        shown = np.nan_to_num(gradients[place])  # what is 0 leaves a gap
        np.testing.assert_allclose(shown, start.gradients, rtol=1e-9)
        np.testing.assert_allclose(spread[place], start.spread, rtol=1e-9)
    assert f"without the path **{float(start.gradients[0]):.2g}**" in text_of(app)


@pytest.mark.parametrize(("stack", "layer"), [("encoder", 1), ("decoder", 2)])
def test_who_fires_and_who_feels_it(model, trace, stack, layer):
    app = set_widget(_lesson("feed_forward", layer="2"), "segmented_control", "choice.layer", layer)
    app = set_widget(app, "segmented_control", "norms.ffn_stack", stack)
    app.session_state["norms.ffn_token"] = (2,)
    app = run(app)
    hidden = trace.records[f"{stack}.{layer - 1}.ffn.hidden"]
    np.testing.assert_allclose(_numbers(app)[0], hidden[:, strongest_units(hidden, 2, 12)])
    fired, change = (next(iter(columns.values())) for columns in _columns(app))
    np.testing.assert_allclose(fired, firing(hidden), rtol=1e-6)
    x = ffn_input(model.model, trace, stack, layer - 1)
    ffn = getattr(model.model, stack).blocks[layer - 1].feed_forward
    np.testing.assert_allclose(change, change_one_position(ffn, x, 2, seed=0), rtol=1e-5, atol=1e-6)
    assert change.argmax() == 2
    assert np.delete(change, 2).max() < 1e-5
    assert "Two convolutions" in text_of(app)


def test_layer_and_sentence_survive_a_look_at_another_experiment():
    app = set_widget(_lesson("feed_forward", layer="1"), "segmented_control", "choice.layer", 2)
    app = set_widget(app, "text_input", "choice.sentence", "You see a cat.")
    app = set_widget(app, "segmented_control", "choice.show", "order")
    app = set_widget(app, "select_slider", "norms.order_depth", 2)
    app = set_widget(app, "segmented_control", "choice.show", "feed_forward")
    assert app.segmented_control(key="choice.layer").value == 2
    assert app.text_input(key="choice.sentence").value == "You see a cat."


@pytest.mark.parametrize("sentence", ["", "word " * 1000])
def test_what_cannot_be_read_gets_a_sentence(sentence):
    app = set_widget(_lesson(), "text_input", "choice.sentence", sentence)
    assert 'role="alert"' in html_of(app)
    assert not canvases(app)
