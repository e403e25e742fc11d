"""What the page "Experiments" says of its numbers, drawn again or measured on the shipped model."""

from __future__ import annotations

import numpy as np
import pytest

from model.heads.ablation import ablation_effect, ablations_of
from model.heads.best_aligning_head import best_reading_head
from model.heads.leave_one_out import chance_tau, kendall_tau, leave_one_out
from tests.ui.app import open_page, pictures_of
from ui.state.address import spell_heads
from ui.text.examples import DEFAULT_SENTENCE
from ui.text.translator import translator


def test_of_13_tokens_in_unrelated_orders_19_of_20_lie_within_the_band() -> None:
    """0.31 is well inside: chance alone gives as much more than once in twenty times."""
    random = np.random.default_rng(0)
    taus = [abs(kendall_tau(np.arange(13), random.permutation(13))) for _ in range(2000)]
    assert np.mean([tau <= chance_tau(13) for tau in taus]) == pytest.approx(0.95, abs=0.02)
    assert 0.05 < np.mean([tau >= 0.31 for tau in taus]) / 2 < 0.09


def test_a_token_that_is_needed_is_negative_and_so_is_a_head(t) -> None:
    """One sign: what makes the translation less probable is below zero in both experiments."""
    trace = t.trace(DEFAULT_SENTENCE)
    change = (leave_one_out(t.model, t.tokenizer, trace).log_probs - trace.log_probs).sum(axis=1)
    app = open_page("pages/experiments.py", sentence=DEFAULT_SENTENCE, show="left_out")
    shown = pictures_of(app)[translator("en")("experiments.change_without")][0]
    np.testing.assert_allclose(shown, change, atol=1e-3)
    assert (change < -0.1).sum() > (change > -0.1).sum()
    head = ("cross", *best_reading_head(t.folder))
    off = ablations_of(t.config, [head], "zero")
    lost = (ablation_effect(t, trace, off).log_probs - trace.log_probs).sum()
    place = {"sentence": DEFAULT_SENTENCE, "ablated": spell_heads([head])}
    ablated = open_page("pages/experiments.py", show="ablations", **place)
    assert float(ablated.metric[0].value) == pytest.approx(lost, abs=0.006)
