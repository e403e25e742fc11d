"""How well heads of a Transformer align words, as far as an analysis has measured it."""

from __future__ import annotations

import numpy as np

from model.heads.analysis_file import Analysis

ALIGNS = 0.5  # error rate below which a head aligns


def best_awi_head(analysis: Analysis | None) -> tuple[int, int] | None:
    """The cross-attention head with the lowest alignment error rate by its weights, AWI.

    The row that counts for a target word is the one that has just read it.

    Returns:
        Layer and head from 0; None where no alignment was measured.

    Source: Chen et al. 2020, section 3 (alignment with induction, AWI).
    """
    if analysis is None or analysis.alignment is None:
        return None
    rates = np.array(analysis.alignment.rates["weights AWI"].heads)  # (layers, heads)
    layer, head = np.unravel_index(rates.argmin(), rates.shape)
    return int(layer), int(head)


def aligns_by_input_token(
    analysis: Analysis | None, layer: int, head: int
) -> tuple[float, float] | None:
    """Whether a head of the cross-attention aligns by the token that a row has just read.

    Its map looks shifted by one row where rows are named by the token that they write.

    Args:
        analysis: of the model, if it was analysed.
        layer: from 0.
        head: from 0.

    Returns:
        Its error rates by weights, AWI (rows named by what they read) and AWO (by what they write),
        where the first is the lower one and below ``ALIGNS``; otherwise, or where none was
        measured, None.

    Source: Chen et al. 2020, section 3.
    """
    if analysis is None or analysis.alignment is None:
        return None
    rates = analysis.alignment.rates
    read = rates["weights AWI"].heads[layer][head]
    written = rates["weights AWO"].heads[layer][head]
    return (read, written) if read < min(ALIGNS, written) else None
