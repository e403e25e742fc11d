"""The weights at the start of a training."""

import math

import pytest
import torch
from torch import Tensor

from model.recurrent.config import RECURRENT_ARCHS, RecurrentConfig
from model.recurrent.model import RecurrentEncoderDecoder
from model.transformer.config import ModelConfig
from model.transformer.transformer import Transformer

D_MODEL, V = 26, 997


def uniform(weight: Tensor) -> None:
    """Check Xavier's range ± √(6 / (in + out)): none beyond, some near it, the mean about 0."""
    bound = math.sqrt(6 / sum(weight.shape))
    assert 0.9 * bound < weight.abs().max() <= bound
    assert abs(weight.mean()) < 5 * bound / math.sqrt(3 * weight.numel())


def of_unit_variance_once_scaled(tokens: Tensor) -> None:
    """Check N(0, 1 / d_model): 25,922 numbers give the deviation within 2.2 %, 5 / √(2 n)."""
    assert tokens.shape == (V, D_MODEL)
    assert float(tokens.std()) * math.sqrt(D_MODEL) == pytest.approx(1, abs=0.022)


@pytest.mark.parametrize("tied", [True, False])
@torch.no_grad()
def test_initial_weights_of_the_transformer_have_their_ranges_and_variances(tied):
    """PE(position) is computed from its formula, so no file of weights holds it."""
    torch.manual_seed(0)
    sizes = {"vocab_size": V, "d_model": D_MODEL, "n_heads": 2, "n_layers": 2, "d_ff": 37}
    model = Transformer(ModelConfig(**sizes, tie_embeddings=tied))
    source, target = model.src_embedding.tokens.weight, model.tgt_embedding.tokens.weight
    of_unit_variance_once_scaled(source)
    of_unit_variance_once_scaled(target)
    assert torch.equal(source, target) == tied
    assert (model.unembed.weight is target) == tied
    assert model.unembed.bias is None
    for name, p in model.named_parameters():
        if name.endswith("bias"):
            assert not p.any(), name
        elif p.dim() == 1:
            assert bool((p == 1).all()), name  # gains of norms
        elif "tokens" not in name and name != "unembed.weight":
            uniform(p)
    learned = {p.data_ptr() for p in model.parameters()}
    assert {tensor.data_ptr() for tensor in model.state_dict().values()} == learned


@pytest.mark.parametrize("cell", ["rnn", "gru", "lstm"])
@pytest.mark.parametrize("arch", RECURRENT_ARCHS)
@torch.no_grad()
def test_initial_weights_of_recurrent_models_have_their_ranges_and_variances(arch, cell):
    """Every block of W_h is orthogonal, so it keeps the length of a state."""
    torch.manual_seed(0)
    config = RecurrentConfig(arch=arch, vocab_size=V, d_model=D_MODEL, d_hidden=19, cell=cell)
    model = RecurrentEncoderDecoder(config)
    of_unit_variance_once_scaled(model.tokens.weight)
    assert model.unembed.weight is model.tokens.weight
    orthogonal = 0
    for name, p in model.named_parameters():
        if name.endswith("w_h.weight"):
            for block in p.split(19):
                torch.testing.assert_close(block @ block.T, torch.eye(19), rtol=0, atol=1e-5)
                orthogonal += 1
        elif name.endswith("bias"):
            assert not p.any(), name
        elif p.dim() == 2 and name != "tokens.weight":
            uniform(p)
    n_cells = 3 if arch == "bahdanau" else 2  # Bahdanau's encoder has two
    assert orthogonal == n_cells * {"rnn": 1, "gru": 3, "lstm": 4}[cell]
