"""What model.train can see to be too much, what a step does, and where a training works."""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
import torch
from msgspec import convert, structs
from safetensors import safe_open
from safetensors.torch import save_file

from model import train
from model.checkpoint.checkpoint import CONFIG, HISTORY, TOKENIZER
from model.checkpoint.snapshots import list_snapshots
from model.checkpoint.weights_file import check_size, save_weights
from model.corpora.batches import make_batch
from model.corpora.corpus import Split
from model.files.checkpoint_error import CheckpointError
from model.recurrent.config import RecurrentConfig
from model.training.config import TrainingConfig
from model.training.options import check, model_config, training_parser
from model.training.saved_state import (
    STATE,
    Progress,
    State,
    TrainingIdentity,
    read_state,
    write_state,
)
from model.training.trainer import Training
from model.training.workplace import Workplace
from model.transformer.config import ModelConfig
from tests.conftest import PAIRS, tiny_model


def options(*more: str):
    return training_parser(None).parse_args(["--corpus", "a", "--out", "b", "--steps", "9", *more])


@pytest.mark.parametrize(
    ("option", "last", "beyond"),
    [
        ("--vocab-size", 260, 259),
        ("--vocab-size", 10**6, 10**6 + 1),
        ("--threads", 1, 0),
        ("--threads", 1024, 1025),
        ("--snapshots", 10, 11),
        ("--snapshots", 2, 1),
    ],
)
def test_the_last_number_that_is_taken_and_the_first_that_is_not(option, last, beyond):
    check(options(option, str(last)))
    with pytest.raises(ValueError, match=option.strip("-")):
        check(options(option, str(beyond)))


def test_as_many_weights_as_a_machine_and_a_file_hold(tokenizer, tmp_path, monkeypatch):
    """A file may hold a quarter of what is asked for."""
    asked = ModelConfig(vocab_size=8000).n_matrix_weights
    monkeypatch.setattr("model.training.options._MOST_WEIGHTS", asked)
    check(options())
    monkeypatch.setattr("model.training.options._MOST_WEIGHTS", asked - 1)
    with pytest.raises(ValueError, match=f"{asked:,}"):
        check(options())
    model = tiny_model(tokenizer)
    save_weights(tmp_path / "w", model, tokenizer="hash")
    n = sum(p.numel() for p in model.parameters())
    assert check_size(tmp_path / "w", SimpleNamespace(n_matrix_weights=4 * n)) == "hash"
    with pytest.raises(CheckpointError, match=rf"{4 * n + 1:,} numbers.* has {n:,}\."):
        check_size(tmp_path / "w", SimpleNamespace(n_matrix_weights=4 * n + 1))


def test_an_option_of_the_other_kind_is_refused_unless_it_says_nothing_new():
    own = options("--arch", "luong", "--d-hidden", "30", "--n-heads", "8")
    expected = RecurrentConfig(arch="luong", vocab_size=300, d_hidden=30)
    assert model_config(own, 300) == expected
    with pytest.raises(ValueError, match="--n-heads"):
        model_config(options("--arch", "luong", "--n-heads", "4"), 300)


@pytest.mark.parametrize(("more", "set_to"), [(["--threads", "7"], 7), ([], 5)])
def test_threads_are_those_asked_for_or_all(more, set_to, tmp_path, monkeypatch):
    found = Mock()
    monkeypatch.setattr(torch, "get_num_threads", lambda: 5)
    monkeypatch.setattr(torch, "set_num_threads", found)
    monkeypatch.setattr(train, "_run_with_bar", lambda _: False)
    sizes = "--vocab-size 300 --d-model 8 --n-heads 2 --n-layers 1 --d-ff 8 --precision float32"
    words = ["--corpus", str(PAIRS), "--out", str(tmp_path / "x"), "--steps", "9"]
    assert train.main([*words, *sizes.split(), *more]) == 130
    found.assert_called_once_with(set_to)


@pytest.fixture
def training(tokenizer, pairs, tmp_path):
    sizes = {"d_model": 8, "n_heads": 2, "n_layers": 1, "d_ff": 8}
    model = ModelConfig(vocab_size=tokenizer.vocab_size, **sizes, dropout=0.5)
    config = TrainingConfig(steps=20, ema_decay=0.8, warmup=1, max_grad_norm=0.25)
    how = {"device": torch.device("cpu"), "dtype": torch.float32}
    return Training(model, config, Split(pairs, {}, {}, 0), tokenizer, tmp_path, **how)


@pytest.fixture
def batch(tokenizer, pairs):
    some = [tuple(tokenizer.encode_ids(pair)) for pair in pairs[:6]]
    return make_batch(some, tokenizer.pad_id)


def test_the_average_is_of_more_and_more_steps_until_its_decay_is_reached(training, batch):
    """The decay is (1 + step) / (10 + step), until that is above 0.8: from step 35 on."""
    expected = training.average.unembed.weight.detach().clone()
    for step in (0, 1, 2, 34, 35, 36, 400):
        training.progress.step = step
        training.train_step(batch)
        decay = (1 + step) / (10 + step) if step < 35 else 0.8
        now = training.model.unembed.weight.detach()
        expected = decay * expected + (1 - decay) * now
        torch.testing.assert_close(training.average.unembed.weight.detach(), expected)
    assert not training.average.training


def test_a_step_draws_its_own_dropout_and_cuts_its_gradients(training, batch, monkeypatch):
    lengths: list[float] = []

    def watched() -> None:
        grads = [p.grad.norm() for p in training.model.parameters() if p.grad is not None]
        lengths.append(float(torch.stack(grads).norm()))

    monkeypatch.setattr("model.training.trainer.set_factor", lambda *_: None)
    for optimizer in training.optimizers:
        monkeypatch.setattr(optimizer, "step", watched)
    losses = []
    for step in (3, 3, 4):
        training.progress.step = step
        losses.append(training.train_step(batch))
    assert losses[0] == losses[1] != losses[2]
    assert lengths[0] == pytest.approx(0.25, rel=1e-4)


def test_a_setting_that_is_changed_and_then_kept_is_written_down_once(training):
    """Compared is the last entry of the settings history, not the first."""
    first = training.settings_history[0] | {"from_step": 0, "warmup": 5}
    second = training.settings_history[0] | {"from_step": 7}
    progress = structs.replace(training.progress, step=11)
    state = replace(training.state(), progress=progress, settings_history=[first, second])
    training.go_back_to(state)
    assert training.settings_history == [first, second]
    training.settings_history = [training.settings_history[0] | {"warmup": 9}]
    training.go_back_to(state)
    assert [entry["from_step"] for entry in training.settings_history] == [0, 7, 11]
    assert [entry["warmup"] for entry in training.settings_history] == [5, 1, 9]


PROGRESS = {"step": 3, "epochs": 1, "batch": 2, "seconds": 5.5, "loss_sum": 7.0, "loss_steps": 3}
PROGRESS |= {"tokens": 11, "clock": 1.5}
COURSE = [{"from_step": 0, "steps": 13}]
ORIGIN = {"architecture": {"d_model": 6, "tie_embeddings": True}, "tokenizer": "abc"}
ORIGIN |= {"corpus": "def", "precision": "float32", "begun_with": ""}


def filled(folder: Path, *names: str) -> Path:
    for name in (*names, "snapshots/0.safetensors", "snapshots/5.safetensors"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    return folder


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def place(folder: Path, *, resume=False, overwrite=False) -> Workplace:
    return Workplace(folder, resume=resume, overwrite=overwrite, restarted=False)


def test_a_new_training_begins_with_its_tokenizer_alone(tmp_path, tokenizer):
    folder = filled(tmp_path / "name", HISTORY, "notes.txt")
    place(folder).begin(tokenizer)
    assert files(folder) == {"notes.txt", TOKENIZER}
    assert list_snapshots(folder) == []
    for _ in range(2):
        place(tmp_path / "however" / "deep").begin(tokenizer)
    assert files(tmp_path / "however") == {f"deep/{TOKENIZER}"}


def test_what_will_replace_a_finished_model_begins_beside_it(tmp_path, tokenizer):
    folder = filled(tmp_path / "name", CONFIG, STATE)
    before = files(folder)
    filled(tmp_path / "name.new", "of the last time")
    found = place(folder, overwrite=True)
    assert files(tmp_path / "name.new") >= {"of the last time"}, "nothing is touched yet"
    found.begin(tokenizer)
    assert found.folder == tmp_path / "name.new"
    assert files(found.folder) == {TOKENIZER}
    assert files(folder) == before
    found.finish()
    assert files(folder) == {TOKENIZER}
    assert [path.name for path in tmp_path.iterdir()] == ["name"]


def test_a_finished_training_goes_on_in_a_copy_without_what_says_that_it_is_finished(tmp_path):
    folder = filled(tmp_path / "name", CONFIG, STATE, HISTORY, TOKENIZER, f"{CONFIG}.part")
    found = place(folder, resume=True, overwrite=True)
    assert found.source == folder
    found.go_on()
    assert files(found.folder) == files(folder) - {CONFIG, f"{CONFIG}.part"}
    assert place(folder, resume=True, overwrite=True).source == found.folder


def test_a_state_comes_back_as_it_was_and_nonsense_is_refused(tmp_path):
    path, tensors = tmp_path / STATE, {"model.a": torch.randn(3, 5), "b": torch.arange(7.0)}
    state = State(convert(PROGRESS, Progress), COURSE, convert(ORIGIN, TrainingIdentity), tensors)
    write_state(path, state)
    found = read_state(path)
    assert replace(found, tensors={}) == replace(state, tensors={})
    torch.testing.assert_close(found.tensors, tensors, rtol=0, atol=0)
    with safe_open(path, "pt") as file:
        sound = file.metadata()
    wrong = {
        "settings_history": ([], [{"from_step": 0}], [{"from_step": -1, "steps": 13}]),
        "progress": ({}, PROGRESS | {"clock": -1}),
        "origin": ([], {}),
    }
    for name, value in ((name, value) for name, those in wrong.items() for value in those):
        save_file(tensors, path, sound | {name: json.dumps(value)})
        with pytest.raises(CheckpointError, match="cannot be resumed from"):
            read_state(path)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 70_000.0])
def test_weights_that_float16_cannot_hold_are_not_written(value, tokenizer, tmp_path):
    model = tiny_model(tokenizer)
    with torch.no_grad():
        next(model.parameters())[0, 0] = value
    with pytest.raises(ValueError, match="no finite number"):
        save_weights(tmp_path / "w", model)
    assert list(tmp_path.iterdir()) == []
