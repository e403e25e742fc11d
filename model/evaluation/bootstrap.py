"""Confidence intervals from a bootstrap over sentences.

Source: Efron 1979, "Bootstrap Methods: Another Look at the Jackknife".
"""

import numpy as np
from msgspec import Struct

from model.arrays import Array
from model.files.json_file import Number

N_DRAWS = 2000  # bootstrap samples, each as large as the original and drawn with replacement
_PERCENTILES = (2.5, 97.5)  # the ends of a 95 % interval
_DECIMALS = 4


class Estimate(Struct, frozen=True):
    """A mean or a rate, with its 95 % interval."""

    value: Number
    low: Number
    high: Number


def ratios(sums: Array, counts: Array) -> list[Estimate]:
    """Estimate a ratio of two sums over sentences, for each of m columns.

    Args:
        sums: (N, m), the numerator of each sentence.
        counts: (N, m), the denominator of each sentence.

    Returns:
        m estimates of sum(sums) / sum(counts), rounded; 0 where all counts are 0.
    """
    n_sentences = len(sums)
    equal = np.full(n_sentences, 1 / n_sentences)
    random = np.random.default_rng(0)
    times_drawn = random.multinomial(n_sentences, equal, size=N_DRAWS)  # (D, N)
    ratios_of_draws = (times_drawn @ sums) / np.maximum(times_drawn @ counts, 1)  # (D, m)
    low, high = np.percentile(ratios_of_draws, _PERCENTILES, axis=0)
    value = sums.sum(axis=0) / np.maximum(counts.sum(axis=0), 1)
    rows = np.stack([value, low, high], axis=1).round(_DECIMALS)  # (m, 3)
    return [Estimate(*row) for row in rows.tolist()]
