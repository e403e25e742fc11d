"""Arrays as traces and maps hold them."""

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float32]


def read_only(array: Array) -> Array:
    """The same numbers, read-only."""
    array = np.ascontiguousarray(array)
    array.flags.writeable = False
    return array
