"""A seed gives the same weights, whatever other threads draw."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import torch

from model.config import ModelConfig
from model.seed import seeded
from model.untrained import untrained

CONFIG = ModelConfig(vocab_size=50, d_model=16, n_heads=2, n_layers=1, d_ff=32, dropout=0.0)


def test_many_threads_draw_the_same_weights() -> None:
    expected = {seed: untrained(CONFIG, seed=seed).state_dict() for seed in range(4)}
    with ThreadPoolExecutor(8) as pool:
        models = list(pool.map(lambda n: untrained(CONFIG, seed=n % 4), range(80)))
    for n, model in enumerate(models):
        for name, weights in model.state_dict().items():
            assert torch.equal(weights, expected[n % 4][name])


def test_the_global_generator_is_left_as_it_was() -> None:
    before = torch.get_rng_state()
    with seeded(3):
        torch.rand(5)
    assert torch.equal(torch.get_rng_state(), before)
