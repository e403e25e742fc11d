"""Lesson: every control changes what is drawn, to what the model and the draw say."""

import numpy as np
import pytest
import torch

from model.lessons.scaling import (
    NAMES,
    answer,
    dot_products,
    draw_score_functions,
    draw_vectors,
    gradient_size,
    sweep,
    window,
)
from model.maps.measures import entropy
from model.pictures.tokens import display
from model.transformer.heads import attention_name
from tests.tolerance import assert_same
from tests.ui.drawn import EN, opens
from ui.lessons import scaling
from ui.lessons.scaling import D_KS, TEMPERATURES

_lesson = opens("scaling")
PLAIN, DIVIDED = EN("scaling.plain"), EN("scaling.divided")


def test_the_drawn_vectors_follow_d_k_and_the_seed():
    page = _lesson("dimension", **{"scaling.d_k": "1", "scaling.seed": "7"})
    for d_k, seed in ((1, 7), (512, 1)):
        page.use({"scaling.d_k": d_k, "scaling.seed": seed})
        *curves, row = page.charts()
        q, k = draw_vectors(seed, n_draws=200, n_keys=16, d_k=1024)
        plain, divided = (sweep(q, k, D_KS, divide=divide) for divide in (False, True))
        for chart, measure in zip(curves, ("variance", "entropy", "gradient"), strict=True):
            expected = {PLAIN: getattr(plain, measure), DIVIDED: getattr(divided, measure)}
            titles = "scaling.d_k_axis", f"scaling.{measure}"
            log = "xy" if measure == "variance" else "x"
            chart.curves_are(expected, D_KS, titles, log=log, mark=[d_k])
        said = [f"{float(one.variance[D_KS.index(d_k)]):,.2f}" for one in (plain, divided)]
        assert EN("scaling.variance_now", plain=said[0], divided=said[1]) in page.text
        q, k = draw_vectors(seed, n_draws=1, n_keys=16, d_k=1024)
        rows = [dot_products(q, k, d_k, divide=one)[0].softmax(-1) for one in (False, True)]
        labels = [f"k{n}" for n in range(1, 17)]
        titles = "scaling.key", "scaling.weight"
        row.columns_are(dict(zip((PLAIN, DIVIDED), rows, strict=True)), labels, titles)
    page.use({"scaling.d_k": 1024})  # what the page proposes to try
    plain, divided = page.charts()[-1].series("columns", "name", "value").values()
    assert plain.max() > 0.99
    assert divided.max() < 0.5


@pytest.mark.parametrize("attention", ["encoder_self", "decoder_self", "cross"])
def test_the_tempered_row_is_that_of_the_chosen_head_and_query(trace, attention):
    page = _lesson("temperature", attention=attention, layer="1", head="1")
    choices = {"choice.layer": 2, "choice.head": 3, "scaling.query": 2}
    page.use(choices | {"scaling.temperature": 0.125})
    seen = 3 if attention == "decoder_self" else None
    own = getattr(trace, attention)[1, 2, 2, :seen]
    scores = torch.tensor(trace.records[f"{attention_name(attention, 1)}.scores"][2, 2, :seen])
    tempered = scores / torch.tensor(TEMPERATURES)[:, None]
    weights, largest = tempered.softmax(-1), tempered[tempered.isfinite()].abs().max().item()
    at = TEMPERATURES.index(0.125)
    queries = display(trace.src_tokens if attention == "encoder_self" else trace.next_tokens)
    options = [f"{n} · {token}" for n, token in enumerate(queries)]
    assert page.control("scaling.query").options == options
    row, *curves = page.charts()
    named = {EN("scaling.model_row"): own}
    named[EN("scaling.tempered_row", temperature="0.125")] = weights[at]
    keys = trace.tgt_tokens if attention == "decoder_self" else trace.src_tokens
    row.columns_are(named, display(keys[:seen]), ("scaling.key", "scaling.weight"))
    measured = {"entropy": entropy(weights.numpy()), "jacobian": gradient_size(weights).numpy()}
    for chart, (name, values) in zip(curves, measured.items(), strict=True):
        titles = "scaling.temperature_axis", f"scaling.{name}"
        drawn = {EN(f"scaling.{name}"): values}
        chart.curves_are(drawn, TEMPERATURES, titles, log="x", mark=[0.125], largest=largest)
        assert EN(f"scaling.{name}_at", value=f"{values[at]:.3f}") in page.text
    assert "1/√22 = 0.213" in page.text


def test_the_bench_shows_what_each_score_gives(trace):
    page = _lesson("bench", attention="cross", layer="2", head="3")
    for choice, scope, reach, seed in (("soft", "global", 9, 5), ("hard", "local", 1, 5)):
        page.use({"scaling.choice": choice, "scaling.scope": scope})
        if scope == "local":
            page.use({"scaling.reach": reach})
        page.use({"scaling.parameters": seed, "scaling.query": 3})
        names = (f"decoder.1.cross.{name}" for name in "qkv")
        q, k, v = (torch.tensor(trace.records[name][2]) for name in names)
        q = q[3]
        functions = draw_score_functions(seed, d_k=len(q), n_positions=len(k))
        seen = window(len(k), 3, reach)
        found = [answer(functions[n], q, k, v, seen, hard=choice == "hard") for n in NAMES]
        [gradients] = page.charts()
        names = [EN(f"scaling.name_{name}") for name in NAMES]
        shown = np.stack([one.weights for one in found])
        page.maps[0].is_(shown, names, display(trace.src_tokens), title="scaling.weight")
        assert [*gradients.bars()] == names
        assert_same([*gradients.bars().values()], np.array([one.gradient for one in found]))
        outputs = {EN("scaling.bench_outputs"): torch.stack([one.output for one in found])}
        page.matrices_are("scaling.outputs", outputs, rows=names)
    assert (shown[:, [0, 1, 5]] == 0).all()


def test_the_cost_is_measured_when_asked(monkeypatch):
    asked, seconds = [], dict(zip(NAMES, (2.0, 3.0, 4.0, 50.0, 6.0, 1.0), strict=True))
    monkeypatch.setattr(
        scaling.scaling, "measure_costs", lambda _, **how: asked.append(how) or seconds.items()
    )
    page = _lesson("bench")
    assert len(page.charts(of="bars")) == 1
    page.press("scaling.measure").finished()
    ratios = page.charts(of="bars")[1]
    expected = {EN(f"scaling.name_{name}"): n / 2 for name, n in seconds.items()}
    assert ratios.bars() == expected
    assert ratios.encoding["x"]["title"] == EN("scaling.cost")
    assert EN("scaling.measured", milliseconds="2e+03") in page.text
    assert (asked[0]["n"], asked[0]["d_k"]) == (256, 22)
