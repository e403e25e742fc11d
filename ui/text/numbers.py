"""Numbers as they stand in a sentence."""

import numpy as np


def signed(value: float | np.floating, form: str = "+.2f") -> str:
    """A number with its sign, and the minus sign of typography.

    >>> signed(-0.153), signed(2, "+d")
    ('−0.15', '+2')
    """
    return f"{value:{form}}".replace("-", "−")


def decimals(value: float | np.floating, n: int = 2) -> str:
    """A number with n decimals and the minus sign of typography.

    >>> decimals(-3.205), decimals(0.5, 3)
    ('−3.21', '0.500')
    """
    return f"{value:.{n}f}".replace("-", "−")


def number(value: float | np.floating) -> str:
    """Three decimals and the minus sign of typography; 0 is 0, what rounds to it has no sign.

    >>> number(-1.25), number(-0.0001), number(0.0)
    ('−1.250', '0.000', '0')
    """
    return f"{value:z.3f}".replace("-", "−") if value else "0"


def share(value: float | np.floating) -> str:
    """A weight, or a power of e: four decimals, as everywhere; what the mask hides is 0."""
    return f"{value:.4f}" if value else "0"


def percent(share: float) -> str:
    """A share in percent, without the sign."""
    return f"{100 * share:.0f}"
