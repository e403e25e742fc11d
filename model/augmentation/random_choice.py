"""Draw one of several choices."""

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

T = TypeVar("T")
Random = np.random.Generator


def draw(choices: Sequence[T], random: Random) -> T:
    """Return one of the choices, each as likely as the others."""
    return choices[int(random.integers(len(choices)))]
