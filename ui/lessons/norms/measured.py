"""The measured starts of training, remembered: what one visitor asked for serves all."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from model.lessons.norms import Wiring, measure_start
from model.trace.residual_stream import Stack
from ui.state.memory import remember

Curves = dict[str, npt.NDArray[np.float64]]


def start_of(wiring: Wiring, n_layers: int, seed: int) -> dict[Stack, Curves]:
    """``measure_start`` as arrays, under the names of its fields."""

    def measured() -> dict[Stack, Curves]:
        return {
            stack: {"gradients": start.gradients.numpy(), "spread": start.spread.numpy()}
            for stack, start in measure_start(wiring, n_layers, seed).items()
        }

    return remember("starts", (wiring, n_layers, seed), measured)


def layer_numbers(n_layers: int) -> npt.NDArray[np.float64]:
    """1, 2, ..., n_layers."""
    return np.arange(1, n_layers + 1, dtype=np.float64)
