"""Which sentence shows a head best."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from model.trace import Kind, Trace


def clearest(traces: Sequence[Trace], kind: Kind, layer: int, head: int) -> int:
    """The trace in which the head's rows are most decided: largest mean of the row maxima.

    Args:
        traces: of a few sentences.
        kind: which attention.
        layer: from 0.
        head: from 0.

    Returns:
        Its place among the traces.
    """
    decided = [trace.attention(kind).weights[layer, head].max(axis=-1).mean() for trace in traces]
    return int(np.argmax(decided))
