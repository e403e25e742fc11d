"""Numbers as texts for sentences."""

import math

import numpy as np

from ui.text.translator import Translator


def signed(value: float | np.floating, form: str = "+.2f") -> str:
    """Return a number with its sign, using the typographic minus sign; 0 has none.

    >>> signed(-0.153), signed(2, "+d"), signed(-0.001)
    ('−0.15', '+2', '0.00')
    """
    text = f"{value:{form}}"
    is_zero = not text.strip("+-0.")
    return text.lstrip("+-") if is_zero else text.replace("-", "−")


def decimals(value: float | np.floating, n: int = 2) -> str:
    """Return a number with n decimals, using the typographic minus sign; none before 0.

    >>> decimals(-3.205), decimals(0.5, 3), decimals(-0.001)
    ('−3.21', '0.500', '0.00')
    """
    return f"{value:z.{n}f}".replace("-", "−")


def number(value: float | np.floating) -> str:
    """Return a number with three decimals; 0 is "0", and a rounded 0 has no sign.

    >>> number(-1.25), number(-0.0001), number(0.0)
    ('−1.250', '0.000', '0')
    """
    return f"{value:z.3f}".replace("-", "−") if value else "0"


def share(value: float | np.floating) -> str:
    """Return a weight or exp(score) with four decimals; "0" for a hidden key, whose number is 0."""
    return f"{value:.4f}" if value else "0"


def percent(share: float) -> str:
    """Return a share in percent, without the percent sign."""
    return f"{100 * share:.0f}"


def duration(seconds: float, tr: Translator) -> str:
    """Return an estimated duration in words, rounded up: to seconds, to five seconds, to minutes.

    >>> from ui.text.translator import translator
    >>> [duration(seconds, translator("en")) for seconds in (0.2, 8.1, 41, 100)]
    ['1 s', '9 s', '45 s', '2 min']
    """
    if seconds > 90:
        return tr("duration.minutes", n=math.ceil(seconds / 60))
    step = 1 if seconds <= 10 else 5
    return tr("duration.seconds", n=max(1, step * math.ceil(seconds / step)))
