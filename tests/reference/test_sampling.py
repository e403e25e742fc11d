"""Drawn translations: from which distribution, until when, and what is said of them."""

from __future__ import annotations

import math
from collections import Counter

import pytest
import torch

from model.decoding.sampling import sample, tempered
from tests.reference.table import EOS, IDS, SOURCES, Table, V


@pytest.mark.parametrize("top_k", [None, 1, 3, 5, 99])
@pytest.mark.parametrize("temperature", [0.25, 1.0, 3.0])
def test_every_row_is_p_to_the_power_of_1_by_t_among_the_best(
    temperature: float, top_k: int | None
) -> None:
    logits = torch.randn(2, 3, 5, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    found = tempered(logits, temperature=temperature, top_k=top_k)
    assert found.shape == logits.shape
    for row, logit in zip(found.flatten(0, 1), logits.flatten(0, 1), strict=True):
        p = logit.softmax(dim=-1)
        least = sorted(p.tolist(), reverse=True)[: top_k or 5][-1]
        powers = [x ** (1 / temperature) if x >= least else 0.0 for x in p.tolist()]
        expected = torch.tensor([x / sum(powers) for x in powers], dtype=torch.float64)
        torch.testing.assert_close(row, expected, rtol=0, atol=1e-12)


def test_temperature_and_top_k_by_hand() -> None:
    """Logits ln 1, ln 2, ln 4. At temperature ½ they square: 1, 4, 16 of 21."""
    logits = torch.tensor([1.0, 2.0, 4.0], dtype=torch.float64).log()
    for how, expected in (
        ({}, [1 / 7, 2 / 7, 4 / 7]),
        ({"temperature": 0.5}, [1 / 21, 4 / 21, 16 / 21]),
        ({"top_k": 2}, [0, 1 / 3, 2 / 3]),
        ({"top_k": 99}, [1 / 7, 2 / 7, 4 / 7]),
    ):
        assert tempered(logits, **how).tolist() == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    "wrong", [*({"temperature": t} for t in (0.0, -1.0, math.inf, math.nan)), {"top_k": 0}]
)
def test_what_cannot_be_drawn_from_is_refused(wrong: dict) -> None:
    [bad] = wrong.values()
    with pytest.raises(ValueError, match=f"must be .*{bad:g}"):
        tempered(torch.zeros(5), **wrong)


@pytest.mark.parametrize("max_length", [1, 4, 200])
@pytest.mark.parametrize("row", range(3))
def test_a_drawing_ends_with_eos_or_at_its_limit(row: int, max_length: int) -> None:
    """The log-probabilities are the model's own, whatever the temperature."""
    model, source = Table(3, max_length), SOURCES[row]
    limit = min(max_length, int((source != 0).sum()) + 50)
    for seed in range(20):
        found = sample(model, source[None], temperature=2.0, seed=seed, **IDS)  # type: ignore[arg-type]
        assert EOS not in found.ids[:-1]
        assert found.finished == (found.ids[-1] == EOS)
        assert found.finished or len(found.ids) == limit
        path: list[tuple[int, float]] = []
        for token, log_prob in zip(found.ids, found.log_probs, strict=True):
            own = model.log_probs(source, path)[token]
            assert log_prob == pytest.approx(own, abs=1e-10)
            path.append((token, own))


def test_first_tokens_are_as_frequent_as_they_are_probable() -> None:
    """1000 drawings: every count within five standard deviations of n p."""
    model, source, n = Table(8, 1), SOURCES[1], 1000
    drawn = Counter(
        sample(model, source[None], temperature=1.5, top_k=4, seed=seed, **IDS).ids[0]  # type: ignore[arg-type]
        for seed in range(n)
    )
    p = tempered(torch.tensor(model.log_probs(source, [])), temperature=1.5, top_k=4)
    assert len(drawn) == 4
    for token in range(V):
        deviation = math.sqrt(n * float(p[token]) * (1 - float(p[token])))
        assert abs(drawn[token] - n * float(p[token])) <= 5 * deviation
