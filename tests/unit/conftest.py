"""Shared by several tests: a training that is killed, French names, and shares of draws."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from model.augmentation.names.language_pair import LanguagePair, language_pair_of
from model.corpora.batches import Batch
from model.corpora.pairs import Pair
from model.training.trainer import Training


@contextmanager
def killed_after(step: int) -> Iterator[None]:
    """Kill a training in the block after this number of steps."""
    whole = Training.train_step

    def dying(training: Training, batch: Batch) -> float:
        if training.progress.step == step:
            raise RuntimeError("killed")
        return whole(training, batch)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Training, "train_step", dying)
        with pytest.raises(RuntimeError, match="killed"):
            yield


@pytest.fixture(scope="module")
def french(pairs: list[Pair]) -> LanguagePair:
    return language_pair_of(pairs)


@pytest.fixture(scope="module")
def translated(t, pairs) -> dict[str, str]:
    """Return two sentences and their different translations by the untrained model."""
    translations: dict[str, str] = {}
    for source, _ in pairs:
        (hypothesis,) = t.translate([source])
        translation = t.decode(hypothesis)
        if translation and translation not in translations.values():
            translations[source] = translation
        if len(translations) == 2:
            return translations
    raise AssertionError("the untrained model says the same of everything")


def complaint(capsys: pytest.CaptureFixture[str]) -> str:
    """Return the sentence on standard error, and check that standard output is empty."""
    out, error = capsys.readouterr()
    assert out == ""
    assert error.count("\n") == 1
    return error


def is_about(count: int, total: int, share: float) -> bool:
    """Return whether a count is this share of the total, give or take five standard deviations."""
    return abs(count - share * total) < 5 * (total * share * (1 - share)) ** 0.5
