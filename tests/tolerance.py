"""Compare numbers that were computed in two ways, on any processor."""

import numpy as np
import torch
from numpy.typing import ArrayLike

_EPS = float(np.finfo(np.float32).eps)


def assert_same(
    actual: ArrayLike | torch.Tensor,
    expected: ArrayLike | torch.Tensor,
    *,
    largest: float | None = None,
    ulps: int = 32,
) -> None:
    """Fail unless two float32 results are equal except for float32's rounding.

    AVX2, AVX-512 and plain loops add the same products in different orders. Each order has an error
    of some units in the last place of the largest number that took part. So the limit is a multiple
    of this number, and never an absolute number. A test that can compute in float64 does so, and
    allows 1e-10 instead.

    Args:
        actual: of any shape; NaN equals NaN.
        expected: of the same shape.
        largest: largest absolute number that took part in the computation, if it is larger than
            all results. For a difference of two log-probabilities, it is the larger of the two.
        ulps: units in the last place of ``largest``; a model of two layers needs fewer than 32.
    """
    a, b = _array(actual), _array(expected)
    finite = np.abs(np.concatenate([x[np.isfinite(x)].ravel() for x in (a, b)]))
    size = max(finite.max(initial=0.0), largest or 0.0)
    np.testing.assert_allclose(a, b, rtol=0, atol=ulps * _EPS * size)


def _array(x: ArrayLike | torch.Tensor) -> np.ndarray:
    return np.asarray(x.detach().cpu() if isinstance(x, torch.Tensor) else x)
