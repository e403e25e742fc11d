"""Write a share with its confidence interval, as in every table of results."""

import math

_Z = 1.96  # 97.5th percentile of the standard normal distribution, for a 95 % interval


def interval(count: int, total: int) -> str:
    """Return a share with its 95 % interval: "55 of 91 (50-70 %)".

    Args:
        count: how many of ``total``.
        total: at least 1.

    Source: Wilson 1927, "Probable inference, the law of succession, and statistical inference".

    >>> interval(0, 10), interval(5, 10)
    ('0 of 10 (0-28 %)', '5 of 10 (24-76 %)')
    """
    share = count / total
    middle = (share + _Z**2 / (2 * total)) / (1 + _Z**2 / total)
    reach = _Z * math.sqrt(share * (1 - share) / total + _Z**2 / (4 * total**2))
    reach /= 1 + _Z**2 / total
    low = round(100 * max(0.0, middle - reach))
    high = round(100 * min(1.0, middle + reach))
    return f"{count} of {total} ({low}-{high} %)"
