"""A checkpoint, loaded and ready: translate with it, look inside it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from model.batch_translation import translate_batch
from model.checkpoint import load_checkpoint, read_history
from model.config import ModelConfig
from model.decoding import Hypothesis
from model.trace import Trace, take_trace


class TranslationModel:
    """A model and its tokenizer. Never changes, so that any number of threads can share it.

    Args:
        folder: a checkpoint folder.

    Raises:
        CheckpointError: the checkpoint cannot be used; the message says what to do.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.model, self.tokenizer, self.training = load_checkpoint(folder)
        self.history: list[dict[str, Any]] = read_history(folder)  # one entry per look at dev

    @property
    def name(self) -> str:
        """Name of the checkpoint folder."""
        return self.folder.resolve().name

    @property
    def config(self) -> ModelConfig:
        """The architecture."""
        return self.model.config

    @property
    def n_parameters(self) -> int:
        """How many numbers were learned; a shared matrix counts once."""
        return sum(p.numel() for p in self.model.parameters())

    def translate(self, texts: Sequence[str], *, beam: int = 1) -> list[Hypothesis]:
        """The best translation of every text; ``decode`` gives its text."""
        return translate_batch(self.model, self.tokenizer, texts, beam=beam)

    def decode(self, hypothesis: Hypothesis) -> str:
        """The text of a hypothesis."""
        return self.tokenizer.decode(hypothesis.ids)

    def trace(self, text: str, *, target: str | None = None, beam: int = 1) -> Trace:
        """Everything the model computes for one sentence; see ``take_trace``."""
        return take_trace(self.model, self.tokenizer, text, target=target, beam=beam)


def load(folder: str | Path) -> TranslationModel:
    """Load a checkpoint folder.

    >>> model = load("checkpoints/en-fr")  # doctest: +SKIP
    >>> model.trace("I am a student.").cross.shape  # doctest: +SKIP
    (4, 8, 6, 7)
    """
    return TranslationModel(folder)
