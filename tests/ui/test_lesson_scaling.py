"""Lesson 4: every control changes what is drawn, to what the model and the draw say."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from model.lessons.scaling.score_functions import NAMES, answer, draw_score_functions, window
from model.lessons.scaling.softmax_experiments import (
    dot_products,
    draw_vectors,
    gradient_size,
    sweep,
)
from model.maps.entropy import entropy
from model.pictures.tokens import display
from tests.tolerance import assert_same
from tests.ui.app import finished, html_of, open_page, text_of
from tests.ui.drawn import (
    EN,
    charts,
    expect_columns,
    expect_curves,
    expect_map,
    expect_matrices,
    link_of,
    press,
    use,
)
from ui.lessons.scaling import score_functions
from ui.lessons.scaling.dimension import D_KS
from ui.lessons.scaling.temperature import TEMPERATURES

SENTENCE = "I see a cat."
PLAIN, DIVIDED = EN("scaling.plain"), EN("scaling.divided")

pytestmark = pytest.mark.usefixtures("shared")


def _lesson(view: str, **link: str) -> AppTest:
    return open_page("pages/scaling.py", sentence=SENTENCE, **({"show": view} if view != "dimension" else {}), **link)


def _vectors(trace, path: str, head: int, place: int):
    q, k, v = (torch.tensor(trace.records[f"{path}.{name}"][head]) for name in "qkv")
    return q[place], k, v


def test_the_drawn_vectors_follow_d_k_and_the_seed():
    app = _lesson("dimension", **{"scaling.d_k": "1", "scaling.seed": "7"})
    for d_k, seed in ((1, 7), (512, 1)):
        app = use(app, {"scaling.d_k": d_k, "scaling.seed": seed})
        *curves, row = charts(app)
        q, k = draw_vectors(seed, n_draws=200, n_keys=16, d_k=1024)
        plain, divided = (sweep(q, k, D_KS, divide=divide) for divide in (False, True))
        for chart, measure in zip(curves, ("variance", "entropy", "gradient"), strict=True):
            expected = {PLAIN: getattr(plain, measure), DIVIDED: getattr(divided, measure)}
            titles = "scaling.d_k_axis", f"scaling.{measure}"
            log = "xy" if measure == "variance" else "x"
            expect_curves(chart, expected, D_KS, titles, log=log, mark=d_k)
        said = [f"{float(one.variance[D_KS.index(d_k)]):,.2f}" for one in (plain, divided)]
        assert EN("scaling.variance_now", plain=said[0], divided=said[1]) in text_of(app)
        q, k = draw_vectors(seed, n_draws=1, n_keys=16, d_k=1024)
        rows = [dot_products(q, k, d_k, divide=one)[0].softmax(-1) for one in (False, True)]
        labels = [f"k{n}" for n in range(1, 17)]
        titles = "scaling.key", "scaling.weight"
        expect_columns(row, dict(zip((PLAIN, DIVIDED), rows, strict=True)), labels, titles)
    assert link_of(app) | {"layer": "2"} == {"sentence": SENTENCE, "layer": "2", "scaling.d_k": "512"}
    app = use(app, {"scaling.d_k": 1024})  # what the page proposes to try
    plain, divided = charts(app)[-1].series("columns", "name", "value").values()
    assert plain.max() > 0.99
    assert divided.max() < 0.5


@pytest.mark.parametrize("attention", ["encoder_self", "decoder_self", "cross"])
def test_the_tempered_row_is_that_of_the_chosen_head_and_query(trace, attention):
    app = _lesson("temperature", attention=attention, layer="1", head="1")
    choices = {"choice.layer": 2, "choice.head": 3, "scaling.query": 2}
    app = use(app, choices | {"scaling.temperature": 0.125})
    seen = 3 if attention == "decoder_self" else None
    own = getattr(trace, attention)[1, 2, 2, :seen]
    path = attention.replace("_", ".1.") if attention != "cross" else "decoder.1.cross"
    scores = torch.tensor(trace.records[f"{path}.scores"][2, 2, :seen])
    weights = (scores / torch.tensor(TEMPERATURES)[:, None]).softmax(-1)
    at = TEMPERATURES.index(0.125)
    row, *curves = charts(app)
    named = {EN("scaling.model_row"): own}
    named[EN("scaling.tempered_row", temperature="0.125")] = weights[at]
    keys = trace.tgt_tokens if attention == "decoder_self" else trace.src_tokens
    expect_columns(row, named, display(keys[:seen]), ("scaling.key", "scaling.weight"))
    measured = {"entropy": entropy(weights.numpy()), "jacobian": gradient_size(weights).numpy()}
    for chart, (name, values) in zip(curves, measured.items(), strict=True):
        titles = "scaling.temperature_axis", f"scaling.{name}"
        drawn = {EN(f"scaling.{name}"): values}
        expect_curves(chart, drawn, TEMPERATURES, titles, log="x", mark=0.125)
        assert EN(f"scaling.{name}_at", value=f"{values[at]:.3f}") in text_of(app)
    assert "1/√22 = 0.213" in text_of(app)
    place = {"layer": "2", "head": "3", "scaling.query": "2", "scaling.temperature": "0.125"}
    assert place.items() <= link_of(app).items()


def test_what_was_chosen_survives_other_views_and_a_shorter_sentence():
    app = _lesson("temperature", attention="encoder_self", layer="1", head="1")
    last = len(app.selectbox(key="scaling.query").options) - 1
    app = use(app, {"choice.layer": 2, "scaling.query": last})
    app = use(app, {"choice.sentence": "You see.", "choice.show": ""})
    app = use(app, {"scaling.d_k": 4, "choice.show": "bench"})
    assert app.text_input(key="choice.sentence").value == "You see."
    assert link_of(app)["layer"] == "2"
    app = use(app, {"choice.sentence": "<b>x</b> $y$ **z**"})
    assert "<b>x" not in html_of(app)
    app = use(app, {"choice.sentence": "I", "choice.show": "temperature"})
    assert len(charts(app)[0].values["labels"]) < last


def test_the_bench_shows_what_each_score_gives(trace):
    app = _lesson("bench", attention="cross", layer="2", head="3")
    for choice, scope, reach, seed in (("soft", "global", 9, 5), ("hard", "local", 1, 5)):
        app = use(app, {"scaling.choice": choice, "scaling.scope": scope})
        if scope == "local":
            app = use(app, {"scaling.reach": reach})
        app = use(app, {"scaling.parameters": seed, "scaling.query": 3})
        q, k, v = _vectors(trace, "decoder.1.cross", 2, 3)
        functions = draw_score_functions(seed, d_k=len(q), n_positions=len(k))
        seen = window(len(k), 3, reach)
        found = [answer(functions[n], q, k, v, seen, hard=choice == "hard") for n in NAMES]
        weights, gradients = charts(app)
        names = [EN(f"scaling.name_{name}") for name in NAMES]
        how = {"weight": "scaling.weight", "rows": "scaling.score"}
        shown = np.stack([one.weights for one in found])
        expect_map(weights, shown, names, display(trace.src_tokens), **how)
        bars = gradients.tables["bars"]
        assert bars["name"].tolist() == names
        assert_same(bars["value"], np.array([one.gradient for one in found]))
        assert gradients.encoding["x"]["title"] == EN("scaling.bench_gradient")
        outputs = {EN("scaling.bench_outputs"): torch.stack([one.output for one in found])}
        expect_matrices(app, "scaling.outputs", outputs, rows=names)
    assert {"scaling.choice": "hard", "scaling.reach": "1"}.items() <= link_of(app).items()
    assert (shown[:, [0, 1, 5]] == 0).all()


def test_the_cost_is_measured_when_asked(monkeypatch):
    asked, seconds = [], dict(zip(NAMES, (2.0, 3.0, 4.0, 50.0, 6.0, 1.0), strict=True))
    monkeypatch.setattr(
        score_functions, "measure_costs", lambda _, **how: asked.append(how) or seconds.items()
    )
    app = _lesson("bench")
    assert len(charts(app, of="bars")) == 1
    app = finished(press(app, "scaling.measure"))
    ratios = charts(app, of="bars")[1]
    expected = {EN(f"scaling.name_{name}"): n / 2 for name, n in seconds.items()}
    assert ratios.series("bars", "name", "value") == expected
    assert ratios.encoding["x"]["title"] == EN("scaling.cost")
    assert EN("scaling.measured", milliseconds="2e+03") in text_of(app)
    assert (asked[0]["n"], asked[0]["d_k"]) == (256, 22)


@pytest.mark.parametrize(("view", "sentence"), [("temperature", ""), ("bench", "word " * 300)])
def test_bad_input_gets_its_sentence(view, sentence):
    app = use(_lesson(view), {"choice.sentence": sentence})
    assert 'role="alert"' in html_of(app)
    assert not charts(app)
