"""Weights that a file cannot hold are not written; what cannot be weights is not read."""

import pytest
import torch
from safetensors.torch import load_file, save_file

from model.checkpoint.weights_file import read_model, save_weights
from model.files.checkpoint_error import CheckpointError
from tests.conftest import tiny_model


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 70_000.0])
def test_weights_that_float16_cannot_hold_are_not_written(value, tokenizer, tmp_path):
    model = tiny_model(tokenizer)
    with torch.no_grad():
        next(model.parameters())[0, 0] = value
    with pytest.raises(ValueError, match="not finite"):
        save_weights(tmp_path / "w", model)
    assert list(tmp_path.iterdir()) == []


def test_whole_numbers_are_no_weights(tokenizer, tmp_path):
    path = tmp_path / "w"
    model = tiny_model(tokenizer)
    save_weights(path, model)
    tensors = load_file(path)
    name = min(tensors)
    save_file(tensors | {name: tensors[name].to(torch.int8)}, path)
    with pytest.raises(CheckpointError, match=f"{name} has int8 numbers"):
        read_model(model.config, path)
