"""Intervals from a bootstrap over sentences.

Source: Efron 1979, "Bootstrap Methods: Another Look at the Jackknife".
"""

import numpy as np
from msgspec import Struct

from model.arrays import Array
from model.files.json_file import Number

DRAWS = 2000
_DECIMALS = 4


class Estimate(Struct, frozen=True):
    """A mean or a rate, with its 95 % interval."""

    value: Number
    low: Number
    high: Number


def ratios(sums: Array, counts: Array) -> list[Estimate]:
    """Σ sums / Σ counts of each column, from (N, m) and (N, m) with a row for each sentence."""
    draw = np.random.default_rng(0)
    drawn = draw.multinomial(len(sums), np.full(len(sums), 1 / len(sums)), size=DRAWS)  # (D, N)
    of_draws = (drawn @ sums) / np.maximum(drawn @ counts, 1)  # (D, m)
    low, high = np.percentile(of_draws, [2.5, 97.5], axis=0)
    value = sums.sum(axis=0) / np.maximum(counts.sum(axis=0), 1)
    rows = np.stack([value, low, high], axis=1).round(_DECIMALS).tolist()
    return [Estimate(*row) for row in rows]
