"""Which head of a Transformer aligns best, as far as an analysis has measured it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from model.heads.analysis import read_analysis


def best_reading_head(folder: str | Path) -> tuple[int, int] | None:
    """The cross-attention head with the lowest alignment error rate by its weights, AWI.

    The row that counts for a target word is the one that has just read it.

    Args:
        folder: of a checkpoint.

    Returns:
        Layer and head from 0; None where no alignment was measured.

    Raises:
        ValueError: the analysis is damaged.

    Source: Chen et al. 2020, section 3 (alignment with induction, AWI).
    """
    analysis = read_analysis(folder)
    if analysis is None or analysis["alignment"] is None:
        return None
    rates = np.array(analysis["alignment"]["rates"]["weights AWI"]["heads"])  # (layers, heads)
    layer, head = np.unravel_index(rates.argmin(), rates.shape)
    return int(layer), int(head)
