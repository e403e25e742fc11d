"""What several of these files share: a training that dies, and what a corpus says of French."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from model.augmentation.names import LanguagePair, language_pair_of
from model.corpora.batches import Batch
from model.corpora.corpus import Pair
from model.training.trainer import Training


@contextmanager
def killed_after(step: int) -> Iterator[None]:
    """A training within dies when it has made so many steps."""
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
