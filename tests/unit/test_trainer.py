"""The effects of one step of a training."""

from dataclasses import replace
from itertools import pairwise
from unittest.mock import Mock

import pytest
import torch
from msgspec import structs

from model import train
from model.corpora.batches import make_batch
from model.corpora.split import Split
from model.training.config import TrainingConfig
from model.training.initial_weights import InitialWeights
from model.training.precision import MixedPrecision
from model.training.trainer import Setup, Training
from model.transformer.config import ModelConfig
from model.transformer.transformer import Transformer
from tests.conftest import PAIRS


@pytest.mark.parametrize(("words", "set_to"), [(["--threads", "7"], 7), ([], 5)])
def test_the_given_number_of_threads_is_used_or_else_all(words, set_to, tmp_path, monkeypatch):
    calls = Mock()
    monkeypatch.setattr(torch, "get_num_threads", lambda: 5)
    monkeypatch.setattr(torch, "set_num_threads", calls)
    monkeypatch.setattr(train, "_run_with_bar", lambda _: False)
    sizes = "--vocab-size 300 --d-model 8 --n-heads 2 --n-layers 1 --d-ff 8 --precision float32"
    needed = ["--corpus", str(PAIRS), "--out", str(tmp_path / "x"), "--steps", "9"]
    assert train.main([*needed, *sizes.split(), *words]) == 130
    calls.assert_called_once_with(set_to)


@pytest.fixture
def training(tokenizer, pairs, tmp_path):
    architecture = ModelConfig(
        vocab_size=tokenizer.vocab_size, d_model=8, n_heads=2, n_layers=1, d_ff=8, dropout=0.5
    )
    return Training(
        Setup(
            architecture=architecture,
            config=TrainingConfig(steps=20, ema_decay=0.8, warmup=1, max_grad_norm=0.25),
            split=Split(pairs, {}, {}, 0),
            tokenizer=tokenizer,
            folder=tmp_path,
            device=torch.device("cpu"),
            dtype=torch.float32,
        )
    )


@pytest.fixture
def batch(tokenizer, pairs):
    some = [tuple(tokenizer.encode_ids(pair)) for pair in pairs[:6]]
    return make_batch(some, tokenizer.pad_id)


def test_the_average_is_of_more_and_more_steps_until_its_decay_is_reached(training, batch):
    """The decay is (1 + step) / (10 + step) while that is below 0.8, up to step 34."""
    expected = training.average.unembed.weight.detach().clone()
    for step in (0, 1, 2, 34, 35, 36, 400):
        training.progress.step = step
        training.train_step(batch)
        decay = (1 + step) / (10 + step) if step < 35 else 0.8
        now = training.model.unembed.weight.detach()
        expected = decay * expected + (1 - decay) * now
        torch.testing.assert_close(training.average.unembed.weight.detach(), expected)
    assert not training.average.training


def test_what_computes_in_bfloat16_follows_the_weights(training, batch):
    """After a step, when weights are taken over, and when a state is restored."""
    training.precision = MixedPrecision(training.model, torch.bfloat16)
    working = training.precision.working.unembed.weight
    master = training.model.unembed.weight
    seen = []

    def look() -> None:
        assert torch.equal(working, master.bfloat16())
        seen.append(working.detach().clone())

    look()
    state = training.state()
    before = {name: tensor.detach().clone() for name, tensor in state.tensors.items()}
    training.train_step(batch)
    look()
    training.restore(replace(state, tensors=before))
    look()
    other = Transformer(training.model.config)
    training._take_over(InitialWeights(other, training.tokenizer, "another model"))
    look()
    assert torch.equal(seen[0], seen[2])
    assert not any(torch.equal(first, second) for first, second in pairwise(seen))


def test_each_step_has_its_own_dropout_and_clips_its_gradients(training, batch, monkeypatch):
    lengths: list[float] = []

    def watched() -> None:
        grads = [p.grad.norm() for p in training.model.parameters() if p.grad is not None]
        lengths.append(float(torch.stack(grads).norm()))

    monkeypatch.setattr("model.training.trainer.scale_learning_rates", lambda *_: None)
    for optimizer in training.optimizers:
        monkeypatch.setattr(optimizer, "step", watched)
    losses = []
    for step in (3, 3, 4):
        training.progress.step = step
        losses.append(training.train_step(batch))
    assert losses[0] == losses[1] != losses[2]
    assert lengths[0] == pytest.approx(0.25, rel=1e-4)


def test_a_setting_that_is_changed_and_then_kept_is_written_down_once(training):
    """A setting is compared with the last entry of the history, not with the first."""
    first = training.settings_history[0] | {"from_step": 0, "warmup": 5}
    second = training.settings_history[0] | {"from_step": 7}
    progress = structs.replace(training.progress, step=11)
    state = replace(training.state(), progress=progress, settings_history=[first, second])
    training.restore(state)
    assert training.settings_history == [first, second]
    training.settings_history = [training.settings_history[0] | {"warmup": 9}]
    training.restore(state)
    assert [entry["from_step"] for entry in training.settings_history] == [0, 7, 11]
    assert [entry["warmup"] for entry in training.settings_history] == [5, 1, 9]


def test_the_precision_of_a_state_comes_from_its_origin_if_its_settings_have_none(training):
    settings = training.settings_history[0]
    without = {name: value for name, value in settings.items() if name != "precision"}
    state = replace(training.state(), settings_history=[without])
    training.restore(state)
    assert training.settings_history == [settings]
    begun_in_bfloat16 = structs.replace(state.origin, precision="bfloat16")
    training.restore(replace(state, origin=begun_in_bfloat16))
    assert [entry["precision"] for entry in training.settings_history] == ["bfloat16", "float32"]
