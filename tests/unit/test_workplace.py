"""Where a training works, what it starts with there, and what its state tells of it."""

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from model.checkpoint.before import NOTHING
from model.checkpoint.checkpoint import CONFIG, HISTORY, TOKENIZER
from model.checkpoint.snapshots import list_snapshots
from model.checkpoint.weights_file import as_written, check_size, fill, save_weights
from model.files.checkpoint_error import CheckpointError
from model.training.state import STATE, State, read_state, write_state
from model.training.workplace import Workplace
from model.transformer.config import ModelConfig
from model.transformer.transformer import Transformer

PROGRESS = {"step": 3, "epochs": 1, "batch": 2, "seconds": 5.5, "loss_sum": 7.0, "loss_steps": 3}
PROGRESS |= {"tokens": 11, "clock": 1.5}
COURSE = [{"from_step": 0, "steps": 13}]
ORIGIN = {"architecture": {"d_model": 6, "tie_embeddings": True}, "tokenizer": "abc"}
ORIGIN |= {"corpus": "def", "precision": "float32", "begun_with": "", "before": NOTHING}


def filled(folder: Path, *names: str) -> Path:
    """A folder with these files, and two snapshots."""
    for name in (*names, "snapshots/0.safetensors", "snapshots/5.safetensors"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    return folder


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def place(folder: Path, *, resume=False, overwrite=False, restarted=False) -> Workplace:
    return Workplace(folder, resume=resume, overwrite=overwrite, restarted=restarted)


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


def test_what_is_in_the_way(tmp_path):
    for suffix in (".new", ".replaced", ".saving"):
        with pytest.raises(ValueError, match="working folder"):
            place(tmp_path / f"name{suffix}")
    with pytest.raises(ValueError, match="nothing to resume"):
        place(tmp_path / "name", resume=True)
    assert not place(tmp_path / "name", restarted=True).resumed  # it died before a state
    folder = filled(tmp_path / "name", STATE)
    with pytest.raises(ValueError, match="unfinished"):
        place(folder)
    assert place(folder, resume=True).source == folder
    assert place(folder, restarted=True).resumed
    (folder / CONFIG).write_text("")
    with pytest.raises(ValueError, match="finished model"):
        place(folder, resume=True)
    (folder / STATE).unlink()
    with pytest.raises(ValueError, match="nothing to resume"):
        place(folder, resume=True, overwrite=True)


def test_a_state_comes_back_as_it_was(tmp_path):
    tensors = {"model.a": torch.randn(3, 5), "optimizer.b": torch.arange(7.0)}
    write_state(tmp_path / STATE, State(PROGRESS, COURSE, ORIGIN, tensors))
    found = read_state(tmp_path / STATE)
    assert (found.progress, found.settings_history) == (PROGRESS, COURSE)
    assert found.origin == ORIGIN
    torch.testing.assert_close(found.tensors, tensors, rtol=0, atol=0)


@pytest.mark.parametrize(
    "metadata",
    [
        {"settings_history": "[]"},
        {"settings_history": '[{"from_step": 0}]'},
        {"settings_history": '[{"from_step": -1, "steps": 13}]'},
        {"progress": "{}"},
        {"progress": json.dumps(PROGRESS | {"clock": -1})},
        {"origin": "[]"},
        {"origin": "{}"},
    ],
)
def test_a_state_that_says_nothing_or_nonsense(metadata, tmp_path):
    values = {"progress": PROGRESS, "settings_history": COURSE, "origin": ORIGIN}
    sound = {name: json.dumps(value) for name, value in values.items()}
    save_file({"a": torch.ones(2)}, tmp_path / STATE, sound)
    assert read_state(tmp_path / STATE).progress == PROGRESS
    save_file({"a": torch.ones(2)}, tmp_path / STATE, sound | metadata)
    with pytest.raises(CheckpointError, match="cannot be resumed from"):
        read_state(tmp_path / STATE)


def model_of(**sizes: int) -> Transformer:
    torch.manual_seed(0)
    small = {"vocab_size": 11, "d_model": 6, "n_heads": 2, "n_layers": 1, "d_ff": 7}
    return Transformer(ModelConfig(**(small | sizes)))


def test_weights_come_back_as_they_are_written(tmp_path):
    model = model_of()
    save_weights(tmp_path / "w", model, tokenizer="its hash")
    assert check_size(tmp_path / "w", model.config) == "its hash"
    expected = as_written(model)
    assert not expected.training
    with torch.no_grad():
        for p in model.parameters():
            p.zero_()
    fill(model, tmp_path / "w")
    torch.testing.assert_close(model.state_dict(), expected.state_dict(), rtol=0, atol=0)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 70_000.0])
def test_weights_that_float16_cannot_hold_are_not_written(value, tmp_path):
    model = model_of()
    with torch.no_grad():
        next(model.parameters())[0, 0] = value
    with pytest.raises(ValueError, match="no finite number"):
        save_weights(tmp_path / "w", model)
    assert list(tmp_path.iterdir()) == []


def test_weights_that_do_not_fit_are_told(tmp_path):
    save_weights(tmp_path / "w", model_of())
    with pytest.raises(CheckpointError, match=r"has shape \(11, 6\) instead of \(13, 6\)\."):
        fill(model_of(vocab_size=13), tmp_path / "w")
    missing = len(list(model_of(n_layers=2).parameters())) - len(list(model_of().parameters()))
    with pytest.raises(CheckpointError, match=rf"is missing \(and {missing - 1} more\)\."):
        fill(model_of(n_layers=2), tmp_path / "w")
    assert check_size(tmp_path / "w", model_of(n_layers=2).config) is None
    with pytest.raises(CheckpointError, match="it asks for"):
        check_size(tmp_path / "w", model_of(n_layers=20).config)
    whole_numbers = {name: p.detach().int() for name, p in model_of().named_parameters()}
    save_file(whole_numbers, tmp_path / "i")
    with pytest.raises(CheckpointError, match="I32"):
        fill(model_of(), tmp_path / "i")
