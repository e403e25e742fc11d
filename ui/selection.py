"""Which numbers one view of the attention shows."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ui.address import Address


def shown_weights(weights: npt.NDArray[np.float32], address: Address) -> npt.NDArray[np.float32]:
    """One head's map, or the mean of all heads in its layer.

    Args:
        weights: (layers, heads, T, S).
        address: its layer, head and view.

    Returns:
        float32 (T, S). The mean of rows that sum to 1 sums to 1.
    """
    layer: npt.NDArray[np.float32] = weights[address.layer - 1]
    heads = slice(None) if address.view == "mean" else slice(address.head - 1, address.head)
    shown: npt.NDArray[np.float32] = layer[heads].mean(axis=0)
    return shown
