"""The claims of the laboratory and of the page "Experiments" hold for their first views."""

from collections import Counter
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from model.heads.analysis_file import read_analysis
from model.heads.kinds import best_awi_head
from model.interventions.ablation import ablation_effect, ablations_of
from model.interventions.leave_one_out import (
    chance_tau,
    concatenated,
    kendall_tau,
    leave_one_token_out,
)
from model.lessons.learning.laboratory import RunSettings, ToyTraining
from model.lessons.learning.laboratory_tasks import TASKS
from tests.ui.app import open_page, pictures_of
from ui.state.address import spell_heads
from ui.text.examples import DEFAULT_SENTENCE
from ui.text.translator import translator

OPENING = RunSettings(task="reverse", n_layers=1, n_heads=2, d_model=64, learning_rate=1e-3)


@pytest.mark.slow
def test_the_task_reverse_is_solved_and_its_cross_attention_is_the_anti_diagonal():
    training = ToyTraining(OPENING)
    points = list(filter(None, [training.advance() for _ in range(600)]))
    assert np.mean([point.accuracy for point in points[-5:]]) >= 0.95
    assert points[-1].written == TASKS["reverse"].example[::-1]
    weights = points[-1].maps["cross"][0]  # (heads, T, S)
    n = len(TASKS["reverse"].example)
    columns = n - np.arange(n)  # column of the letter that row i writes; BOS is the first column
    on_it = weights[:, np.arange(n), columns].mean(axis=1)  # (heads,)
    assert on_it.max() > 0.7
    assert (weights[on_it.argmax(), :n].argmax(axis=1) == columns).mean() >= 0.85


@pytest.mark.slow
def test_a_model_without_positions_finds_the_letters_but_not_their_order():
    training = ToyTraining(replace(OPENING, positions=False))
    last = [training.advance() for _ in range(600)][-1]
    wanted = Counter(TASKS["reverse"].example)
    assert last.accuracy < 0.1
    assert (Counter(last.written) & wanted).total() >= len(TASKS["reverse"].example) - 1


def test_the_page_begins_with_the_settings_of_this_test():
    app = open_page("pages/learning.py", show="laboratory")
    for name in ("task", "n_layers", "n_heads", "d_model", "learning_rate", "positions",
                 "causal_mask", "norm", "label_smoothing"):  # fmt: skip
        chosen = app.button_group(key=f"laboratory.{name}").value
        assert chosen == getattr(OPENING, name), name
    assert app.number_input(key="laboratory.seed").value == OPENING.seed


def test_of_13_tokens_in_unrelated_orders_19_of_20_lie_within_the_band() -> None:
    """0.31 is well within the band: of 100 unrelated orders, 5 to 9 reach it by chance."""
    random = np.random.default_rng(0)
    taus = [abs(kendall_tau(np.arange(13), random.permutation(13))) for _ in range(2000)]
    assert np.mean([tau <= chance_tau(13) for tau in taus]) == pytest.approx(0.95, abs=0.02)
    assert 0.05 < np.mean([tau >= 0.31 for tau in taus]) / 2 < 0.09


@pytest.mark.parametrize("n", range(2, 9))
def test_for_few_tokens_19_of_20_rank_correlations_are_within_the_band(n: int) -> None:
    first = np.arange(n)
    taus = np.abs([kendall_tau(first, np.array(order)) for order in permutations(range(n))])
    assert np.mean(taus <= chance_tau(n)) >= 0.95
    # so no smaller band has this property
    assert chance_tau(n) == 1 or np.mean(taus < chance_tau(n) - 1e-9) < 0.95


def test_the_number_of_a_needed_token_or_head_is_negative(t) -> None:
    """In both experiments, a negative number means a less probable translation without the part."""
    trace = t.trace(DEFAULT_SENTENCE)
    effects = concatenated(list(leave_one_token_out(t, trace)))
    change = (effects.log_probs - trace.log_probs).sum(axis=1)
    app = open_page("pages/experiments.py", sentence=DEFAULT_SENTENCE, show="left_out")
    shown = pictures_of(app)[translator("en")("experiments.change_without")][0]
    np.testing.assert_allclose(shown, change, atol=1e-3)
    assert (change < -0.1).sum() > (change > -0.1).sum()
    head = ("cross", *best_awi_head(read_analysis(t.folder)))
    off = ablations_of(t.config, [head], "zero")
    lost = (ablation_effect(t, trace, off).log_probs - trace.log_probs).sum()
    link = {"sentence": DEFAULT_SENTENCE, "ablated": spell_heads([head])}
    ablated = open_page("pages/experiments.py", show="ablations", **link)
    assert float(ablated.metric[0].value.replace("−", "-")) == pytest.approx(lost, abs=0.006)
