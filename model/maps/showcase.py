"""Which sentence shows a head best."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from model.trace.transformer import Trace
from model.transformer.heads import Kind


def clearest(traces: Sequence[Trace], kind: Kind) -> npt.NDArray[np.intp]:
    """The trace in which a head's rows are most decided: largest mean of the row maxima.

    Args:
        traces: of a few sentences.
        kind: which attention.

    Returns:
        (layers, heads): its place among the traces.
    """
    decided = [trace.attention(kind).weights.max(axis=-1).mean(axis=-1) for trace in traces]
    places: npt.NDArray[np.intp] = np.argmax(decided, axis=0)
    return places
