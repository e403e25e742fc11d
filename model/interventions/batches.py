"""How often one target is read together, each time with something else taken away."""

from __future__ import annotations

import math

BATCH_BYTES = 4 * 10**6  # of logits held at once


def rows_at_once(n_tgt: int, vocab_size: int) -> int:
    """How many targets of T tokens are read together: ``BATCH_BYTES`` of logits, or one."""
    return max(1, BATCH_BYTES // (4 * n_tgt * vocab_size))


def n_batches(n: int, n_tgt: int, vocab_size: int) -> int:
    """In how many batches n targets of T tokens are read."""
    return math.ceil(n / rows_at_once(n_tgt, vocab_size))
