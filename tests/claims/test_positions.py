"""What the lesson about positions says, measured."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
import torch

from model import TranslationModel, load
from model.lessons.positions.angle import chance_cosine, cosines
from model.lessons.positions.order_experiment import compare_orders
from model.lessons.positions.rotation import rotation, rotation_error
from model.lessons.positions.waves import doubling_pairs, similarity, similarity_at, wavelengths
from model.transformer.positional import frequencies, positional_encoding

D_MODEL = 256


@pytest.fixture(scope="module")
def t(shipped_checkpoint: Path) -> TranslationModel:
    return load(shipped_checkpoint)


@pytest.mark.parametrize("k", [-50, -1, 0, 1, 7, 50, 1000])
@pytest.mark.parametrize("d_model", [66, D_MODEL])
def test_m_k_times_pe_of_p_is_pe_of_p_plus_k(k: int, d_model: int) -> None:
    assert rotation_error(k, d_model, 256) < 1e-6


def test_it_holds_for_the_very_matrix_of_the_model(t: TranslationModel) -> None:
    positions = t.model.src_embedding.positions.double()
    assert torch.equal(t.model.src_embedding.positions, t.model.tgt_embedding.positions)
    for k in (1, 5, 100):
        turned = positions[:-k] @ rotation(k, t.config.d_model).T
        assert (turned - positions[k:]).abs().max() < 1e-6


def test_another_matrix_does_not_do_it() -> None:
    waves = positional_encoding(64, D_MODEL).double()
    assert (waves[:-5] @ rotation(4, D_MODEL).T - waves[5:]).abs().max() > 0.5


def test_without_positions_the_outputs_are_only_permuted(t: TranslationModel) -> None:
    """What the page opens with: the numbers at 1e-6 and far above."""
    without, with_ = (
        compare_orders(t, "dog bites man", "man bites dog", positions=positions)
        for positions in (False, True)
    )
    assert without.largest < 1e-6
    assert with_.largest > 0.1
    for row, token in zip(without.distance, without.first, strict=True):
        assert without.second[int(row.argmin())] == token
        assert row.min() < 1e-6
        assert row.kthvalue(2).values > 0.1
    assert with_.distance.min() > 0.01


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The cat sees the dog.", "The dog sees the cat."),
        ("I never said you lied.", "you never said I lied."),
    ],
)
def test_it_is_so_for_other_words_too(t: TranslationModel, first: str, second: str) -> None:
    assert compare_orders(t, first, second, positions=False).largest < 1e-6
    assert compare_orders(t, first, second, positions=True).largest > 0.1


def test_wavelengths_go_from_2_pi_to_a_little_less_than_10000_times_2_pi() -> None:
    lengths = wavelengths(D_MODEL)
    assert float(lengths[0]) == pytest.approx(2 * math.pi)
    assert 0.9 < float(lengths[-1]) / (10000 * 2 * math.pi) < 1
    assert (lengths.diff() > 0).all()


def test_each_wave_of_the_counter_is_about_twice_as_long_as_the_one_before() -> None:
    lengths = wavelengths(D_MODEL)[doubling_pairs(D_MODEL, 6)]
    assert len(lengths) == 6
    assert (lengths[1:] / lengths[:-1] - 2).abs().max() < 0.1


def test_near_positions_have_near_values() -> None:
    """A sine of frequency w moves by no more than w in one step."""
    steps = positional_encoding(200, D_MODEL).double().diff(dim=0).abs().amax(dim=0)
    assert (steps <= frequencies(D_MODEL).repeat_interleave(2) + 1e-6).all()


def test_the_dot_product_of_two_positions_depends_on_their_distance_only() -> None:
    table, n = similarity(128, D_MODEL), 128
    for k in (0, 1, 10, 100):
        expected = similarity_at(torch.tensor([k, -k]), D_MODEL)
        for diagonal, value in zip((table.diagonal(k), table.diagonal(-k)), expected, strict=True):
            assert len(diagonal) == n - k
            assert (diagonal - value).abs().max() < 1e-4


def test_it_is_largest_at_0_and_gets_smaller_with_ripples() -> None:
    curve = similarity_at(torch.arange(64), D_MODEL)
    assert float(curve[0]) == pytest.approx(D_MODEL / 2)
    assert curve.argmax() == 0
    assert (curve[[0, 1, 2, 4, 8, 16, 32, 63]].diff() < 0).all()
    assert (curve.diff() > 0).any()


def test_every_position_vector_has_the_same_length(t: TranslationModel) -> None:
    norms = t.model.src_embedding.positions.norm(dim=1)
    torch.testing.assert_close(norms, torch.full_like(norms, math.sqrt(t.config.d_model / 2)))


@pytest.mark.parametrize("sentence", ["I am a student.", "The animal didn't cross the street."])
def test_embeddings_lean_away_from_the_positions_more_than_chance_gives(
    t: TranslationModel, sentence: str
) -> None:
    records = t.trace(sentence).records
    token = torch.tensor(records["encoder.token_embedding"])
    position = torch.tensor(records["encoder.position"])
    found = torch.nn.functional.cosine_similarity(token, position)
    np.testing.assert_allclose(cosines(token.numpy(), position.numpy()), found, atol=1e-6)
    assert (found < 0).all()
    assert -found.mean() > 2 * chance_cosine(t.config.d_model)
    assert (token + position - torch.tensor(records["encoder.embedded"])).abs().max() < 1e-5


def test_chance_is_that_of_random_directions() -> None:
    drawn = np.random.default_rng(0).normal(size=(2, 4000, 256)).astype(np.float32)
    assert np.abs(cosines(*drawn)).mean() == pytest.approx(chance_cosine(256), rel=0.05)


def test_side_by_side_and_a_matrix_is_a_sum_too() -> None:
    x, p, w = torch.randn(3, 5, generator=torch.Generator().manual_seed(0)).double().unbind()
    matrix = torch.outer(torch.cat([w, x]), p)  # (10, 5)
    torch.testing.assert_close(torch.cat([x, p]) @ matrix, x @ matrix[:5] + p @ matrix[5:])


def test_waves_are_nothing_to_learn_and_a_table_would_be(t: TranslationModel) -> None:
    assert not [name for name, _ in t.model.named_parameters() if "position" in name]
    assert t.model.src_embedding.positions.numel() == 256 * 256


def test_rope_sees_the_distance_only_and_added_waves_do_not() -> None:
    """RoPE turns q and k; the waves are added to them."""
    q, k = torch.randn(2, 64, generator=torch.Generator().manual_seed(0)).double()
    pairs = [(3, 8), (40, 45)]
    turned = [(rotation(p, 64) @ q) @ (rotation(other, 64) @ k) for p, other in pairs]
    assert float(turned[0]) == pytest.approx(float(turned[1]), abs=1e-9)
    waves = positional_encoding(64, 64).double()
    added = [(q + waves[p]) @ (k + waves[other]) for p, other in pairs]
    assert abs(float(added[0] - added[1])) > 0.1
