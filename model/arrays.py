"""Make the arrays of traces and maps read-only."""

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float32]


def read_only(array: Array) -> Array:
    """Return an array with the same numbers that cannot be changed.

    A contiguous array is not copied: it becomes read-only itself.
    """
    array = np.ascontiguousarray(array)
    array.flags.writeable = False
    return array
