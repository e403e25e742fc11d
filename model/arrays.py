"""Make the arrays of traces and maps read-only."""

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float32]


def read_only(array: Array) -> Array:
    """Return a read-only array with the same numbers."""
    array = np.ascontiguousarray(array)
    array.flags.writeable = False
    return array
