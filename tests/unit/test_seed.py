"""A seed gives the same weights, even if other threads draw random numbers at the same time."""

import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
import torch
from torch import nn

from model.checkpoint.architectures import new_model
from model.decoding.sampling import sample
from model.lessons.cost import measure_layers
from model.lessons.learning.laboratory import RunSettings, ToyTraining
from model.lessons.masks.cheating_experiment import CheatingExperiment
from model.lessons.norms import draw_batch, measure_start
from model.lessons.scaling import draw_score_functions, draw_vectors
from model.nn.seed import seeded, without_initialisation
from model.recurrent.config import RECURRENT_ARCHS, RecurrentConfig
from model.transformer.config import ModelConfig
from model.transformer.transformer import untrained
from model.translation_model import load

CONFIG = ModelConfig(vocab_size=50, d_model=16, n_heads=2, n_layers=1, d_ff=32, dropout=0.0)
SIZES = {"vocab_size": 50, "d_model": 6, "d_hidden": 8}
MAKERS = {
    "transformer": lambda: new_model(CONFIG),
    "timed": lambda: nn.ModuleList([nn.RNN(4, 4), nn.Conv1d(4, 4, 3)]),
}
MAKERS |= {a: partial(new_model, RecurrentConfig(arch=a, **SIZES)) for a in RECURRENT_ARCHS}


def test_many_threads_draw_the_same_weights():
    """Another thread draws from and seeds PyTorch's own generator at the same time."""
    expected = {seed: untrained(CONFIG, seed=seed).state_dict() for seed in range(2)}
    assert not torch.equal(*(weights["unembed.weight"] for weights in expected.values()))
    over = threading.Event()

    def disturb() -> None:
        while not over.is_set():
            torch.rand(3)
            torch.manual_seed(11)

    thread = threading.Thread(target=disturb)
    thread.start()
    try:
        with ThreadPoolExecutor(4) as pool:
            models = list(pool.map(lambda n: untrained(CONFIG, seed=n % 2), range(12)))
    finally:
        over.set()
        thread.join()
    for n, model in enumerate(models):
        torch.testing.assert_close(model.state_dict(), expected[n % 2], rtol=0, atol=0)


@pytest.mark.parametrize("name", MAKERS)
def test_a_seed_means_what_it_means_for_pytorch(name):
    """Weights that are read from a file are not drawn before."""
    torch.manual_seed(7)
    expected = MAKERS[name]().state_dict()
    before = torch.get_rng_state()
    with seeded(7):
        drawn = MAKERS[name]().state_dict()
    with without_initialisation():
        shapes = {key: weights.shape for key, weights in MAKERS[name]().state_dict().items()}
        left = torch.full((3,), 5.0)
        assert nn.init.normal_(left) is left
        assert nn.init.uniform_(tensor=left).tolist() == [5.0] * 3
    assert torch.equal(torch.get_rng_state(), before)
    assert shapes == {key: weights.shape for key, weights in expected.items()}
    assert all(torch.equal(drawn[key], weights) for key, weights in expected.items())


def test_no_computation_of_a_page_uses_the_shared_generator(tiny_checkpoint):
    before = torch.get_rng_state()
    t = load(tiny_checkpoint)
    ToyTraining(RunSettings(n_layers=1, n_heads=1, d_model=8)).advance()
    next(CheatingExperiment("sort").train(1))
    measure_start("none", 2, 1)
    next(measure_layers((4,), d=4, repeats=1))
    draw_score_functions(0, d_k=4, n_positions=4)
    draw_vectors(0, n_draws=2, n_keys=2, d_k=2)
    draw_batch(0, lengths=(2, 1), n_padding=1, d_model=4)
    src = torch.tensor([[token.id for token in t.tokenizer.encode("Hello.")]])
    sample(t.model, src, temperature=1.0, top_k=None, seed=1, **t.tokenizer.special_ids)
    assert torch.equal(torch.get_rng_state(), before)
