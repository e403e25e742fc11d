"""Batches hold every pair once and stay within the budget; the seed decides their order."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from model.corpora.batches import Batch, Ids, make_batch, shuffled_batches
from model.corpora.split import split_corpus
from model.training.config import TrainingConfig
from model.training.trainer import Setup, Training
from model.transformer.masks import causal_mask
from tests.conftest import tiny_model

PAD, BOS, EOS = 0, 1, 2
IdPair = tuple[Ids, Ids]


def sentence(length: int, number: int = 7) -> Ids:
    return [BOS, *[number] * length, EOS]


@pytest.fixture(scope="module")
def id_pairs() -> list[IdPair]:
    """Return 500 different pairs of ids, many of the same length."""
    random = np.random.default_rng(0)
    lengths = random.integers(1, 12, size=(500, 2)).tolist()
    return [(sentence(s, 3 + n), sentence(t, 3 + n)) for n, (s, t) in enumerate(lengths)]


def test_labels_are_the_target_shifted_by_one():
    batch = make_batch([([BOS, 5, EOS], [BOS, 6, 7, EOS]), ([BOS, 8, 9, EOS], [BOS, EOS])], PAD)
    assert batch.src.tolist() == [[BOS, 5, EOS, PAD], [BOS, 8, 9, EOS]]
    assert batch.tgt.tolist() == [[BOS, 6, 7], [BOS, EOS, PAD]]
    assert batch.labels.tolist() == [[6, 7, EOS], [EOS, PAD, PAD]]
    assert batch.n_tokens == 2 * 4 + 2 * 3
    moved = batch.to(torch.device("meta"))
    assert {moved.src.device.type, moved.tgt.device.type, moved.labels.device.type} == {"meta"}


@settings(deadline=None)
@given(
    lengths=st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=1, max_size=60),
    budget=st.integers(1, 200),
)
def test_batches_stay_within_the_budget_and_no_pair_is_lost(lengths, budget):
    pairs = [(sentence(s, 3 + n), sentence(t, 3 + n)) for n, (s, t) in enumerate(lengths)]
    batches = shuffled_batches(pairs, token_budget=budget, seed=(1, 2))
    assert all(len(b) == 1 or make_batch(b, PAD).n_tokens <= budget for b in batches)
    seen = Counter(str(pair) for batch in batches for pair in batch)
    assert seen == Counter(map(str, pairs))


def test_batches_are_as_full_as_the_budget_allows():
    """All pairs have one shape, so 10 of them fit: 10 times (3 + 2) + (1 + 2) positions."""
    pairs = [(sentence(3), sentence(1))] * 95
    sizes = [len(b) for b in shuffled_batches(pairs, token_budget=80, seed=(1,))]
    assert sorted(sizes) == [5, *[10] * 9]


def test_pairs_of_a_batch_have_similar_lengths(id_pairs):
    batches = shuffled_batches(id_pairs, token_budget=200, seed=(1,))
    assert len(batches) > 10
    ranges = sorted((min(t), max(t)) for t in ([len(t) for _, t in b] for b in batches))
    assert all(longest <= shortest for (_, longest), (shortest, _) in pairwise(ranges))


def test_the_order_depends_on_the_seed_only(id_pairs):
    seeds = [(1, 0), (1, 0), (1, 1)]
    first, again, other = (shuffled_batches(id_pairs, token_budget=200, seed=s) for s in seeds)
    assert first == again != other
    assert sorted(map(len, first)) == sorted(map(len, other))


def test_the_order_depends_neither_on_length_nor_on_the_file(id_pairs):
    batches = shuffled_batches(id_pairs, token_budget=200, seed=(1,))
    lengths = [len(batch[0][1]) for batch in batches]
    assert lengths != sorted(lengths)
    numbers = [source[1] for batch in batches for source, target in batch if len(target) == 5]
    assert numbers != sorted(numbers)
    alike = [(sentence(3, 3 + n), sentence(3, 3 + n)) for n in range(40)]
    met = [
        {frozenset(source[1] for source, _ in batch) for batch in batches}
        for batches in (shuffled_batches(alike, token_budget=100, seed=(1, n)) for n in (0, 1))
    ]
    assert met[0] != met[1]


def test_weights_and_batches_are_on_the_device(pairs, tokenizer, tmp_path, monkeypatch):
    """PyTorch's device "meta" computes only shapes. Each batch is moved once per step."""
    setup = Setup(
        architecture=tiny_model(tokenizer).config,
        config=TrainingConfig(steps=4, token_budget=300),
        split=split_corpus(pairs),
        tokenizer=tokenizer,
        folder=tmp_path,
        device=torch.device("cpu"),
        dtype=torch.float32,
    )
    on_meta = Training(replace(setup, device=torch.device("meta")))
    on_cpu = Training(setup)
    assert {p.device.type for p in on_meta.model.parameters()} == {"meta"}
    moved = []
    monkeypatch.setattr(Batch, "to", lambda self, device: moved.append(device) or self)
    on_cpu.train_step(next(on_cpu._batches_ahead()))
    assert moved == [torch.device("cpu")]


def test_more_queries_than_keys_are_refused():
    with pytest.raises(ValueError, match="3 queries"):
        causal_mask(3, 2)
