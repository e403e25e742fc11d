"""Numbers as they stand in a sentence."""

from __future__ import annotations

import numpy as np


def signed(value: float | np.floating, form: str = "+.2f") -> str:
    """A number with its sign, and the minus sign of typography.

    >>> signed(-0.153), signed(2, "+d")
    ('−0.15', '+2')
    """
    return f"{value:{form}}".replace("-", "−")
