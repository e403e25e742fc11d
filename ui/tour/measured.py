"""What a model's analysis says for the tour."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from model import CheckpointError
from model.heads.analysis_file import Analysis
from model.heads.best_aligning_head import best_awi_head
from model.heads.importance import Spare, heads_to_spare
from model.transformer.heads import Head
from ui.frame.head_kinds import analysis_of
from ui.state.models import PageRun


@dataclass(frozen=True, kw_only=True)
class Measured:
    """Numbers of one model; None where nothing was measured.

    Args:
        aligner: the cross-attention head with the lowest alignment error rate.
        rate: this error rate.
        pairs: sentence pairs on which it was measured.
        spare: how many heads can be removed together.
        sentences: on which BLEU was measured.
    """

    aligner: Head | None = None
    rate: float = 0.0
    pairs: int = 0
    spare: Spare | None = None
    sentences: int = 0


def measured(run: PageRun) -> Measured:
    """What is known of a model; of one that cannot be used, nothing."""
    with suppress(CheckpointError):  # the page of the heads says what is wrong
        return _of(analysis_of(run.model))
    return Measured()


def _of(analysis: Analysis | None) -> Measured:
    best = best_awi_head(analysis)
    if analysis is None or analysis.alignment is None or best is None:
        return Measured()
    layer, head = best
    return Measured(
        aligner=("cross", layer, head),
        rate=analysis.alignment.rates["weights AWI"].heads[layer][head],
        pairs=analysis.alignment.pairs,
        spare=heads_to_spare(analysis.pruning.removal),
        sentences=analysis.sentences,
    )
