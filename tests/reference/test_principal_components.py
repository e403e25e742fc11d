"""The residual stream in three dimensions, against the eigenvectors of its covariance."""

from __future__ import annotations

import numpy as np
import pytest

from model.trace.principal_components import principal_components
from model.trace.residual_stream import STACKS
from tests.tolerance import assert_same


def _stream(trace, stack: str) -> np.ndarray:
    n_layers = len(trace.encoder_self)
    names = ["0.resid_pre", *(f"{n}.resid_post" for n in range(n_layers))]
    return np.stack([trace.records[f"{stack}.{name}"] for name in names]).astype(np.float64)


@pytest.mark.parametrize("stack", STACKS)
def test_they_are_the_directions_of_most_variance(trace, stack) -> None:
    stream = _stream(trace, stack)  # (layers + 1, T, d_model)
    x = stream.reshape(-1, stream.shape[-1])
    variances, vectors = np.linalg.eigh(np.cov(x.T))
    found = principal_components(trace, stack)
    assert found.places.shape == (*stream.shape[:2], 3)
    assert_same(found.shares, variances[:-4:-1] / variances.sum())
    expected = (x - x.mean(axis=0)) @ vectors[:, :-4:-1]
    largest = np.abs(vectors[:, :-4:-1]).argmax(axis=0)  # its loading is positive
    signs = np.sign(vectors[:, :-4:-1][largest, range(3)])
    assert_same(found.places.reshape(-1, 3), expected * signs)


def test_special_tokens_can_be_left_out(trace) -> None:
    found = principal_components(trace, "encoder", special=False)
    assert found.tokens == trace.src_tokens[1:-1]
    x = _stream(trace, "encoder")[:, 1:-1]
    x = x.reshape(-1, x.shape[-1])
    variances = np.linalg.eigvalsh(np.cov(x.T))
    assert_same(found.shares, variances[:-4:-1] / variances.sum())


def test_what_fills_no_third_direction_is_flat(t) -> None:
    trace = t.trace("I see a cat.", target="Je vois un chat.")
    records = dict(trace.records)
    for name, values in trace.records.items():
        if name.startswith("encoder.") and ".resid_" in name:
            records[name] = np.zeros_like(values)
            records[name][:, 0] = np.arange(len(values))
    object.__setattr__(trace, "records", records)
    found = principal_components(trace, "encoder")
    np.testing.assert_allclose(found.shares, [1, 0, 0], atol=1e-10)
    assert np.abs(found.places[..., 1:]).max() < 1e-5
    centred = np.arange(len(trace.src)) - (len(trace.src) - 1) / 2
    np.testing.assert_allclose(found.places[0, :, 0], centred, atol=1e-10)
