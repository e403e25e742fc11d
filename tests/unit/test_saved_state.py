"""The saved state of a training is read as it was written; a damaged state is refused."""

import json
from dataclasses import replace

import pytest
import torch
from msgspec import convert
from safetensors import safe_open
from safetensors.torch import save_file

from model.corpora.batches import make_batch
from model.files.checkpoint_error import CheckpointError
from model.training.saved_state import (
    STATE,
    Progress,
    State,
    TrainingIdentity,
    read_state,
    write_state,
)


@pytest.fixture
def batch(tokenizer, pairs):
    some = [tuple(tokenizer.encode_ids(pair)) for pair in pairs[:6]]
    return make_batch(some, tokenizer.pad_id)


PROGRESS = {
    "step": 3,
    "epochs": 1,
    "batch": 2,
    "seconds": 5.5,
    "loss_sum": 7.0,
    "loss_steps": 3,
    "tokens": 11,
    "clock": 1.5,
}

COURSE = [{"from_step": 0, "steps": 13}]

ORIGIN = {
    "architecture": {"d_model": 6, "tie_embeddings": True},
    "tokenizer": "abc",
    "corpus": "def",
    "precision": "float32",
    "begun_with": "",
}


def test_a_state_is_read_back_unchanged_and_invalid_values_are_refused(tmp_path):
    path, tensors = tmp_path / STATE, {"model.a": torch.randn(3, 5), "b": torch.arange(7.0)}
    state = State(
        convert(PROGRESS, Progress), COURSE, convert(ORIGIN, TrainingIdentity), tensors, 5
    )
    write_state(path, state)
    restored = read_state(path)
    assert replace(restored, tensors={}) == replace(state, tensors={})
    torch.testing.assert_close(restored.tensors, tensors, rtol=0, atol=0)
    with safe_open(path, "pt") as file:
        sound = file.metadata()
    wrong = {
        "settings_history": ([], [{"from_step": 0}], [{"from_step": -1, "steps": 13}]),
        "progress": ({}, PROGRESS | {"clock": -1}),
        "origin": ([], {}),
        "snapshots": (-1, "many"),
    }
    for name, value in ((name, value) for name, those in wrong.items() for value in those):
        save_file(tensors, path, sound | {name: json.dumps(value)})
        with pytest.raises(CheckpointError, match="cannot be resumed from"):
            read_state(path)


def test_a_line_of_the_history_has_the_mean_loss_and_the_speed_since_the_line_before():
    progress = convert(PROGRESS, Progress)  # three steps, with a loss of 7 in all
    progress.count(loss=2.00512, tokens=12, seconds=2.0)
    # (7 + 2.00512) / 4 = 2.25128 and (11 + 12) / (1.5 + 2) = 6.57
    assert progress.since_last_line() == {"loss": 2.2513, "tokens_per_second": 7}
    since = {"loss_sum": 0, "loss_steps": 0, "tokens": 0, "clock": 0}
    whole = {"step": 4, "epochs": 1, "batch": 3, "seconds": 7.5}
    assert progress == convert(whole | since, Progress)


def test_a_damaged_state_names_one_remedy(tmp_path):
    path = tmp_path / STATE
    path.write_bytes(b"no weights")
    with pytest.raises(CheckpointError) as caught:
        read_state(path)
    message = str(caught.value)
    assert message.startswith(f"The weights {path} are cut off or damaged")
    assert message.endswith(" Get the file again.")
    assert "Restore it" not in message


def test_a_state_with_a_weight_that_is_not_finite_names_one_remedy(tmp_path):
    path = tmp_path / STATE
    tensors = {"model.a": torch.tensor([1.0, torch.nan])}
    origin = convert(ORIGIN, TrainingIdentity)
    write_state(path, State(convert(PROGRESS, Progress), COURSE, origin, tensors))
    with pytest.raises(CheckpointError) as caught:
        read_state(path)
    assert str(caught.value).count(". ") == 1, "one sentence about the fault, one remedy"
