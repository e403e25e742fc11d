"""The claims of the lesson about positions are measured."""

import numpy as np
import pytest
import torch

from model.lessons.positions import chance_cosine, compare_orders, rotation, rotation_error
from model.trace.residual_stream import cosines

D_MODEL = 256
ROUNDING = 1e-6  # the positional encodings are float32


def test_the_matrix_m_k_moves_the_encoding_of_p_to_p_plus_k_in_the_model_too(t) -> None:
    for k in (-50, -1, 0, 7, 1000):
        assert rotation_error(k, D_MODEL, 256) < ROUNDING
    positions = t.model.src_embedding.positions
    assert torch.equal(positions, t.model.tgt_embedding.positions)
    assert not [name for name, _ in t.model.named_parameters() if "position" in name]
    assert positions.numel() == 256 * 256  # number of parameters that a learned table would have
    for k in (1, 5, 100):
        for turned, other in ((k, False), (k - 1, True)):
            error = (positions[:-k] @ rotation(turned, D_MODEL).T - positions[k:]).abs().max()
            assert error > 0.5 if other else error < ROUNDING


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("dog bites man", "man bites dog"),  # the first sentences of the page
        ("I never said you lied.", "you never said I lied."),
    ],
)
def test_without_positions_the_outputs_are_only_permuted(t, first: str, second: str) -> None:
    without, with_ = (
        compare_orders(t, first, second, positions=positions) for positions in (False, True)
    )
    assert without.largest < 1e-10
    assert with_.largest > 0.1
    for row, token in zip(without.distance, without.first, strict=True):
        assert without.second[int(row.argmin())] == token
        assert row.min() < 1e-10
        assert row.kthvalue(2).values > 0.1
    assert with_.distance.min() > 0.01


@pytest.mark.parametrize("sentence", ["I am a student.", "The animal didn't cross the street."])
def test_embeddings_point_away_from_the_positional_encodings_more_than_chance_explains(
    t, sentence: str
) -> None:
    records = t.trace(sentence).records
    token, position = (records[f"encoder.{name}"] for name in ("token_embedding", "position"))
    measured = cosines(token, position)
    by_torch = torch.nn.functional.cosine_similarity(*map(torch.tensor, (token, position)))
    np.testing.assert_allclose(measured, by_torch, atol=1e-10)
    assert (measured < -0.001).all()
    assert -measured.mean() > 2 * chance_cosine(D_MODEL)
    drawn = np.random.default_rng(0).normal(size=(2, 4000, D_MODEL))
    assert np.abs(cosines(*drawn)).mean() == pytest.approx(chance_cosine(D_MODEL), rel=0.05)
    # all encodings have the same length; they are added to the embeddings
    np.testing.assert_allclose(np.linalg.norm(position, axis=1) ** 2, D_MODEL / 2, rtol=ROUNDING)
    np.testing.assert_allclose(token + position, records["encoder.embedded"], atol=1e-10)
