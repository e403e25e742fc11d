"""A seed gives the same weights, whatever other threads draw."""

from __future__ import annotations

import ast
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest
import torch
from torch import nn

from model.checkpoint.architectures import new_model
from model.decoding.sampling import sample
from model.lessons.cost.layer_timing import measure_layers
from model.lessons.learning.laboratory import Settings, ToyTraining
from model.lessons.masks.cheating_experiment import CheatingExperiment
from model.lessons.norms.gradient_experiment import measure_start
from model.lessons.norms.normalisation import draw_batch
from model.lessons.scaling.score_functions import draw_score_functions
from model.lessons.scaling.softmax_experiments import draw_vectors
from model.nn.seed import seeded, undrawn
from model.recurrent.config import RECURRENT_ARCHS, RecurrentConfig
from model.training import trainer as training
from model.transformer.config import ModelConfig
from model.transformer.transformer import untrained
from model.translation_model import load

ROOT = Path(__file__).parents[2]

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


MAKERS: dict[str, Callable[[], nn.Module]] = {
    "transformer": lambda: new_model(CONFIG),
    **{
        arch: partial(new_model, RecurrentConfig(arch=arch, vocab_size=50, d_model=6, d_hidden=8))
        for arch in RECURRENT_ARCHS
    },
    "timed": lambda: nn.ModuleList([nn.RNN(4, 4), nn.Conv1d(4, 4, 3)]),
}


@pytest.mark.parametrize("name", MAKERS)
def test_a_seed_means_what_it_means_for_pytorch(name: str) -> None:
    torch.manual_seed(7)
    expected = MAKERS[name]().state_dict()
    before = torch.get_rng_state()
    with seeded(7):
        found = MAKERS[name]().state_dict()
    assert torch.equal(torch.get_rng_state(), before)
    for key, weights in expected.items():
        assert torch.equal(found[key], weights)


@pytest.mark.parametrize("name", MAKERS)
def test_weights_that_come_from_a_file_are_not_drawn_first(
    name: str,
) -> None:
    before = torch.get_rng_state()
    with undrawn():
        shapes = {key: weights.shape for key, weights in MAKERS[name]().state_dict().items()}
        left = torch.full((3,), 5.0)
        assert nn.init.normal_(left) is left
        assert nn.init.uniform_(tensor=left).tolist() == [5.0] * 3
    assert torch.equal(torch.get_rng_state(), before)
    assert shapes == {key: weights.shape for key, weights in MAKERS[name]().state_dict().items()}


def test_who_draws_without_a_seed_disturbs_nobody() -> None:
    """The others need not keep to anything: they draw, and seed, whenever they like."""
    expected = untrained(CONFIG, seed=3).state_dict()
    over = threading.Event()

    def disturb() -> None:
        while not over.is_set():
            torch.rand(3)
            torch.manual_seed(11)

    thread = threading.Thread(target=disturb)
    thread.start()
    try:
        for _ in range(60):
            found = untrained(CONFIG, seed=3).state_dict()
            assert all(torch.equal(found[name], expected[name]) for name in expected)
    finally:
        over.set()
        thread.join()


def test_nothing_that_a_page_starts_draws_from_the_shared_generator(
    tiny_checkpoint: Path,
) -> None:
    before = torch.get_rng_state()
    t = load(tiny_checkpoint)
    next(ToyTraining(Settings(n_layers=1, n_heads=1, d_model=8)).train(1))
    next(CheatingExperiment("sort").train(1))
    measure_start("none", 2, 1)
    next(measure_layers((4,), d=4, repeats=1))
    draw_score_functions(0, d_k=4, n_positions=4)
    draw_vectors(0, n_draws=2, n_keys=2, d_k=2)
    draw_batch(0, lengths=(2, 1), n_padding=1, d_model=4)
    src = torch.tensor([[token.id for token in t.tokenizer.encode("Hello.")]])
    sample(t.model, src, temperature=1.0, top_k=None, seed=1, **t.tokenizer.special_ids)
    assert torch.equal(torch.get_rng_state(), before)


def test_no_page_can_reach_a_line_that_seeds_all_threads() -> None:
    """Every module that the app imports, but for that of trainings, whose process is their own."""
    code = (
        "import importlib, pkgutil, sys, inspect, ui;"
        "[importlib.import_module(m.name) for m in pkgutil.walk_packages(ui.__path__, 'ui.')];"
        "print(*(m.__file__ for n, m in sys.modules.items() if n.split('.')[0] in ('model', 'ui')"
        " and m.__file__))"
    )
    files = subprocess.check_output([sys.executable, "-c", code], text=True, cwd=ROOT).split()
    assert len(files) > 100
    for file in set(files) - {training.__file__}:
        for call in ast.walk(ast.parse(Path(file).read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call):
                assert ast.unparse(call.func) not in ("torch.manual_seed", "torch.seed"), file
