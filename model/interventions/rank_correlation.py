"""Whether two orders of the same things agree: Kendall's τ.

Source: Kendall 1945, "The treatment of ties in ranking problems" (τ-b).
"""

from __future__ import annotations

import math
from itertools import combinations

from model.trace.base import Array


def chance_tau(n: int) -> float:
    """Within ± this lies τ of two orders that have nothing to do with each other, 19 times of 20.

    Args:
        n: things that are ordered, at least 2.

    Returns:
        1.96 times the standard deviation of τ over all orders without ties.

    >>> round(chance_tau(13), 2)
    0.41

    Source: Kendall 1938, "A new measure of rank correlation".
    """
    return 1.96 * math.sqrt(2 * (2 * n + 5) / (9 * n * (n - 1)))


def kendall_tau(first: Array, second: Array) -> float:
    """τ-b: agreement of two orders, 1 the same, -1 reversed, 0 unrelated.

    Args:
        first: (N,) numbers.
        second: (N,) numbers for the same things.

    Returns:
        NaN where one of them ties everything.

    >>> kendall_tau([1, 2, 3], [1, 3, 2])
    0.3333333333333333
    """
    agreement = first_untied = second_untied = 0
    for i, j in combinations(range(len(first)), 2):
        a = int(first[i] > first[j]) - int(first[i] < first[j])
        b = int(second[i] > second[j]) - int(second[i] < second[j])
        agreement += a * b
        first_untied += a != 0
        second_untied += b != 0
    if not first_untied or not second_untied:
        return math.nan
    return agreement / math.sqrt(first_untied * second_untied)
