"""Weights that float16 cannot hold are not written."""

import pytest
import torch

from model.checkpoint.weights_file import save_weights
from tests.conftest import tiny_model


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 70_000.0])
def test_weights_beyond_the_range_of_float16_are_not_written(value, tokenizer, tmp_path):
    model = tiny_model(tokenizer)
    with torch.no_grad():
        next(model.parameters())[0, 0] = value
    with pytest.raises(ValueError, match="not finite"):
        save_weights(tmp_path / "w", model)
    assert list(tmp_path.iterdir()) == []
