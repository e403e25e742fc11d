"""The head that aligns words best, found once for a checkpoint."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from model import CheckpointError
from model.heads.best_aligning_head import best_awi_head
from ui.state.memory import remember
from ui.state.models import version


def aligner(folder: Path) -> tuple[int, int] | None:
    """Layer and head of the cross-attention, from 0; None where no alignment was measured.

    None, too, where the analysis is damaged: the page of the heads says what is wrong.

    Args:
        folder: of a checkpoint.
    """
    with suppress(CheckpointError):
        return remember("aligner", version(folder), lambda: best_awi_head(folder))
    return None
