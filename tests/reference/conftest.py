"""The tiny model in float64: what is computed twice differs by less than 1e-10 on any processor."""

from pathlib import Path

import pytest

from model import Trace, TranslationModel
from model.translation_model import load_transformer


def in_float64(t: TranslationModel) -> TranslationModel:
    """The same model with numbers of double length, its writer too."""
    return TranslationModel(t.folder, t.model.double(), t.tokenizer, t.training)


@pytest.fixture(scope="session")
def t(tiny_checkpoint: Path) -> TranslationModel:
    """Read by all tests, changed by none."""
    return in_float64(load_transformer(tiny_checkpoint))


@pytest.fixture(scope="session")
def trace(t: TranslationModel) -> Trace:
    return t.trace("I see a cat.", target="Je vois un chat.")
