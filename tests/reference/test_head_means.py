"""The mean outputs of heads: their definition and their file."""

import shutil

import numpy as np
import pytest
import torch

from model.heads.importance import all_heads
from model.heads.means import head_means, read_head_means, save_head_means
from model.translation_model import load
from tests.tolerance import assert_same

PAIRS = {"I see a cat.": "Je vois un chat.", "Good evening!": "Bonsoir !"}


@pytest.fixture
def t(tiny_checkpoint, tmp_path):
    return load(shutil.copytree(tiny_checkpoint, tmp_path / "tiny"))


def _mean_by_hand(t, path: str, head: int) -> np.ndarray:
    """Over every position of every pair, one after another, in float64."""
    rows = [
        row.astype(float)
        for source, target in PAIRS.items()
        for row in t.trace(source, target=target).records[f"{path}.head_out"][head]
    ]
    return sum(rows) / len(rows)


def test_the_mean_is_over_all_positions_of_all_sentences_and_is_read_again(t):
    found = head_means(t.trace(source, target=target) for source, target in PAIRS.items())
    assert found.n_sentences == 2
    assert len(found.means) == len({(kind, layer) for kind, layer, _ in all_heads(t.config)})
    for path, mean in found.means.items():
        assert mean.shape == (3, 22)
        for head in range(3):
            assert_same(mean[head], _mean_by_hand(t, path, head))
    assert read_head_means(t) is None
    save_head_means(t, found)
    again = read_head_means(t)
    assert again.n_sentences == 2
    for path, mean in again.means.items():
        np.testing.assert_allclose(mean, found.means[path], rtol=1e-3, atol=1e-4)  # float16
        assert mean.dtype == torch.float32


def test_of_no_sentence_there_is_no_mean():
    with pytest.raises(ValueError, match="no sentence"):
        head_means([])


def test_means_of_a_model_that_was_trained_further_and_damaged_ones_are_not_taken(t):
    save_head_means(t, head_means([t.trace("I see a cat.")]))
    assert read_head_means(t) is not None
    with torch.no_grad():
        t.model.encoder.blocks[0].self_attention.w_q.weight[0, 0] += 1e-3
    assert read_head_means(t) is None
    path = save_head_means(t, head_means([t.trace("I see a cat.")]))
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(ValueError, match="damaged"):
        read_head_means(t)
