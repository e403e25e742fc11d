"""Weights are stored in float16; those that it cannot hold are not written."""

from types import SimpleNamespace

import pytest
import torch

from model.checkpoint.weights_file import as_saved, check_size, read_model, save_weights
from model.files.checkpoint_error import CheckpointError
from tests.conftest import tiny_model


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 70_000.0])
def test_weights_beyond_the_range_of_float16_are_not_written(value, tokenizer, tmp_path):
    model = tiny_model(tokenizer)
    with torch.no_grad():
        next(model.parameters())[0, 0] = value
    with pytest.raises(ValueError, match="not finite"):
        save_weights(tmp_path / "w", model)
    assert list(tmp_path.iterdir()) == []


def test_the_model_as_saved_is_the_one_that_is_read_from_the_file(tokenizer, tmp_path):
    model = tiny_model(tokenizer).train()
    [weight, *_] = model.parameters()
    torch.nn.init.constant_(weight, 1 / 3)
    rounded = as_saved(model)
    save_weights(tmp_path / "w", model)
    read = read_model(model.config, tmp_path / "w")
    assert not rounded.training
    for own, stored in zip(rounded.parameters(), read.parameters(), strict=True):
        assert torch.equal(own, stored)
    assert (next(rounded.parameters()) == 1365 / 4096).all()  # 11 binary digits of 1/3
    assert (weight == torch.tensor(1 / 3)).all()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_weights_of_three_types_are_read_as_float32(dtype, tokenizer, tmp_path):
    model = tiny_model(tokenizer)
    save_weights(tmp_path / "w", model, dtype=dtype)
    if dtype is torch.float64:
        with pytest.raises(CheckpointError, match="has the dtype F64"):
            read_model(model.config, tmp_path / "w")
        return
    read = read_model(model.config, tmp_path / "w")
    for own, stored in zip(model.parameters(), read.parameters(), strict=True):
        assert stored.dtype is torch.float32
        assert torch.equal(own.to(dtype).float(), stored)


def test_a_file_holds_at_least_a_quarter_of_the_weights_that_its_model_needs(tokenizer, tmp_path):
    model = tiny_model(tokenizer)
    save_weights(tmp_path / "w", model)
    n = sum(p.numel() for p in model.parameters())
    check_size(tmp_path / "w", SimpleNamespace(n_matrix_weights=4 * n))
    with pytest.raises(CheckpointError, match=f"asks for {4 * n + 1:,} numbers, .* has {n:,}"):
        check_size(tmp_path / "w", SimpleNamespace(n_matrix_weights=4 * n + 1))
