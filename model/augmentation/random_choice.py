"""Draw a random element of a sequence."""

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

T = TypeVar("T")
Random = np.random.Generator


def draw(choices: Sequence[T], random: Random) -> T:
    """Return one of the choices at random; all are equally likely."""
    return choices[int(random.integers(len(choices)))]
