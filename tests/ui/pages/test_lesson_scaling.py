"""Lesson: every control changes the pictures, with numbers of the model or drawn at random."""

import numpy as np
import pytest
import torch

from model.lessons.scaling import (
    NAMES,
    Answer,
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
from tests.ui.drawn import EN, Page, opens
from ui.lessons import scaling
from ui.lessons.scaling import D_KS, TEMPERATURES

_lesson = opens("scaling")
PLAIN, DIVIDED = EN("scaling.plain"), EN("scaling.divided")


D_K_AND_SEED = pytest.mark.parametrize(("d_k", "seed"), [(1, 7), (512, 1)])


@D_K_AND_SEED
def test_the_means_over_many_draws_depend_on_the_seed(d_k, seed):
    page = _lesson("dimension", **{"scaling.d_k": str(d_k), "scaling.seed": str(seed)})
    q, k = draw_vectors(seed, n_draws=200, n_keys=16, d_k=1024)
    plain = sweep(q, k, D_KS, divide=False)
    divided = sweep(q, k, D_KS, divide=True)
    _, variance, entropy_chart, gradient = page.charts()
    for chart, measure, log in (
        (variance, "variance", "xy"),
        (entropy_chart, "entropy", "x"),
        (gradient, "gradient", "x"),
    ):
        curves = {PLAIN: getattr(plain, measure), DIVIDED: getattr(divided, measure)}
        titles = "scaling.d_k_axis", f"scaling.{measure}"
        chart.curves_are(curves, D_KS, titles, log=log, mark=[d_k])
    at = D_KS.index(d_k)
    variances = {"plain": f"{plain.variance[at]:,.2f}", "divided": f"{divided.variance[at]:,.2f}"}
    assert EN("scaling.variance_now", **variances) in page.text


@D_K_AND_SEED
def test_a_single_softmax_depends_on_d_k_and_the_seed(d_k, seed):
    page = _lesson("dimension").use({"scaling.d_k": d_k, "scaling.seed": seed})
    q, k = draw_vectors(seed, n_draws=1, n_keys=16, d_k=1024)
    weights = {
        PLAIN: dot_products(q, k, d_k, divide=False)[0].softmax(-1),
        DIVIDED: dot_products(q, k, d_k, divide=True)[0].softmax(-1),
    }
    labels = [f"k{n}" for n in range(1, 17)]
    page.charts()[0].columns_are(weights, labels, ("scaling.key", "scaling.weight"))


def test_at_a_large_d_k_only_divided_scores_leave_the_softmax_soft():
    """The experiment that the page suggests."""
    page = _lesson("dimension").use({"scaling.d_k": 1024})
    plain, divided = page.charts()[0].series("columns", "name", "value").values()
    assert plain.max() > 0.99
    assert divided.max() < 0.5


@pytest.mark.parametrize("attention", ["encoder_self", "decoder_self", "cross"])
def test_the_row_with_a_temperature_is_that_of_the_chosen_head_and_query(trace, attention):
    page = _lesson("temperature", attention=attention, layer="1", head="1")
    page.use(
        {
            "choice.layer": 2,
            "choice.head": 3,
            "scaling.query": 2,
            "scaling.temperature": 0.125,
        }
    )
    queries = display(trace.src_tokens if attention == "encoder_self" else trace.next_tokens)
    options = [f"{n} · {token}" for n, token in enumerate(queries)]
    assert page.control("scaling.query").options == options

    # layer 2, head 3, query 2; a query of the decoder sees no later key
    n_visible = 3 if attention == "decoder_self" else None
    own = getattr(trace, attention)[1, 2, 2, :n_visible]
    record = trace.records[f"{attention_name(attention, 1)}.scores"]
    scores = torch.tensor(record[2, 2, :n_visible])
    tempered = scores / torch.tensor(TEMPERATURES)[:, None]
    weights = tempered.softmax(-1)
    at = TEMPERATURES.index(0.125)
    keys = trace.tgt_tokens if attention == "decoder_self" else trace.src_tokens
    row, entropy_chart, jacobian_chart = page.charts()
    rows = {
        EN("scaling.model_row"): own,
        EN("scaling.tempered_row", temperature="0.125"): weights[at],
    }
    row.columns_are(rows, display(keys[:n_visible]), ("scaling.key", "scaling.weight"))

    # two measures of the row at every temperature
    largest = tempered[tempered.isfinite()].abs().max().item()
    for chart, name, values in (
        (entropy_chart, "entropy", entropy(weights.numpy())),
        (jacobian_chart, "jacobian", gradient_size(weights).numpy()),
    ):
        titles = "scaling.temperature_axis", f"scaling.{name}"
        curve = {EN(f"scaling.{name}"): values}
        chart.curves_are(curve, TEMPERATURES, titles, log="x", mark=[0.125], largest=largest)
        assert EN(f"scaling.{name}_at", value=f"{values[at]:.3f}") in page.text
    assert "1/√22 = 0.213" in page.text


def _answers(trace, *, reach: int, hard: bool) -> list[Answer]:
    """Return each score function's answer for query 3 of head 3 in layer 2, drawn with seed 5."""
    q = torch.tensor(trace.records["decoder.1.cross.q"][2])[3]
    k = torch.tensor(trace.records["decoder.1.cross.k"][2])
    v = torch.tensor(trace.records["decoder.1.cross.v"][2])
    functions = draw_score_functions(5, d_k=len(q), n_positions=len(k))
    mask = window(len(k), 3, reach)
    return [answer(functions[name], q, k, v, mask, hard=hard) for name in NAMES]


def _bench_shows(page: Page, answers: list[Answer], keys: list[str]) -> None:
    """Check the weights, gradients and outputs of all score functions."""
    names = [EN(f"scaling.name_{name}") for name in NAMES]
    weights = np.stack([answer.weights for answer in answers])
    page.maps[0].is_(weights, names, keys, title="scaling.weight")
    [gradients] = page.charts()
    assert list(gradients.bars()) == names
    expected = np.array([answer.gradient for answer in answers])
    assert_same(list(gradients.bars().values()), expected)
    outputs = {EN("scaling.bench_outputs"): torch.stack([answer.output for answer in answers])}
    page.matrices_are("scaling.outputs", outputs, rows=names)


def test_the_comparison_shows_the_result_of_each_score_function(trace):
    page = _lesson("bench", attention="cross", layer="2", head="3")
    page.use({"scaling.parameters": 5, "scaling.query": 3})
    _bench_shows(page, _answers(trace, reach=9, hard=False), display(trace.src_tokens))


def test_the_comparison_can_choose_one_key_near_the_query(trace):
    page = _lesson("bench", attention="cross", layer="2", head="3")
    page.use({"scaling.choice": "hard", "scaling.scope": "local"})
    page.use({"scaling.reach": 1, "scaling.parameters": 5, "scaling.query": 3})
    answers = _answers(trace, reach=1, hard=True)
    _bench_shows(page, answers, display(trace.src_tokens))
    for given in answers:
        assert (given.weights[[0, 1, 5]] == 0).all()  # at most one key on each side of the query


def test_the_cost_is_measured_only_when_asked(monkeypatch):
    calls = []
    seconds = dict(zip(NAMES, (2.0, 3.0, 4.0, 50.0, 6.0, 1.0), strict=True))

    def measure_costs(_functions, *, n, d_k, repeats):
        calls.append({"n": n, "d_k": d_k, "repeats": repeats})
        return seconds.items()

    monkeypatch.setattr(scaling.scaling, "measure_costs", measure_costs)
    page = _lesson("bench")
    assert len(page.charts(table="bars")) == 1
    page.press("scaling.measure").finished()
    ratios = page.charts(table="bars")[1]
    expected = {EN(f"scaling.name_{name}"): n / 2 for name, n in seconds.items()}
    assert ratios.bars() == expected
    assert ratios.encoding["x"]["title"] == EN("scaling.cost")
    assert EN("scaling.measured", milliseconds="2e+03") in page.text
    assert calls == [{"n": 256, "d_k": 22, "repeats": 7}]
