"""What several of these files share: the tiny model, loaded, and what a corpus says of French."""

from pathlib import Path

import pytest

from model import TranslationModel, load
from model.data.corpus import Pair
from model.data.language_pair import LanguagePair, language_pair_of


@pytest.fixture(scope="module")
def t(tiny_checkpoint: Path) -> TranslationModel:
    return load(tiny_checkpoint)


@pytest.fixture(scope="module")
def french(pairs: list[Pair]) -> LanguagePair:
    return language_pair_of(pairs)
