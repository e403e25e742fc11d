"""Muon and AdamW: which weights each of them updates, and what one step does."""

import math

import pytest
import torch
from torch.optim import Optimizer

from model.checkpoint.architectures import new_model
from model.nn.encoder_decoder import Model
from model.recurrent.config import RECURRENT_ARCHS, RecurrentConfig
from model.training import optimizer as module
from model.training.config import TrainingConfig
from model.training.optimizer import (
    load_state_tensors,
    new_optimizers,
    scale_learning_rates,
    state_tensors,
)
from model.transformer.config import ModelConfig

MUON_LR, ADAMW_LR = 0.02, 0.003
ARCHS = ("transformer", *RECURRENT_ARCHS)


def model_of(arch: str) -> Model:
    torch.manual_seed(3)
    if arch == "transformer":
        return new_model(ModelConfig(vocab_size=53, d_model=14, n_heads=2, n_layers=2, d_ff=37))
    return new_model(RecurrentConfig(arch=arch, vocab_size=53, d_model=14, d_hidden=23))


def give_gradients(model: Model, seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    for p in model.parameters():
        p.grad = torch.randn(p.shape, generator=generator, dtype=p.dtype)


def steps(model: Model, optimizers: list[Optimizer], seeds: range) -> None:
    for seed in seeds:
        give_gradients(model, seed)
        for optimizer in optimizers:
            optimizer.step()


def optimizers_of(model: Model, dtype: torch.dtype = torch.float32) -> list[Optimizer]:
    return new_optimizers(model, TrainingConfig(steps=1, muon_lr=MUON_LR, adamw_lr=ADAMW_LR), dtype)


@pytest.mark.parametrize("arch", ARCHS)
def test_every_weight_has_one_optimizer(arch: str) -> None:
    """Muon has all matrices except the token matrix. AdamW has tokens, biases and norms."""
    model = model_of(arch)
    muon, adamw = optimizers_of(model)
    named = {id(p): name for name, p in model.named_parameters()}
    names = [{named[id(p)] for p in o.param_groups[0]["params"]} for o in (muon, adamw)]
    tokens = named[id(model.unembed.weight)]
    matrices = {name for name, p in model.named_parameters() if p.dim() == 2} - {tokens}
    assert names == [matrices, set(named.values()) - matrices]
    assert len(matrices) > 5
    assert [type(o).__name__ for o in (muon, adamw)] == ["Muon", "AdamW"]


@pytest.mark.parametrize("arch", ["transformer", "bahdanau"])
def test_biases_norms_and_tokens_move_as_kingma_and_ba_say(arch: str) -> None:
    """m and v are running means with 0.9 and 0.98, both corrected for their start at zero."""
    model = model_of(arch).double()
    _, adamw = optimizers_of(model)
    others = adamw.param_groups[0]["params"]
    expected = [p.detach().clone() for p in others]
    m, v = [torch.zeros_like(p) for p in expected], [torch.zeros_like(p) for p in expected]
    for t in range(1, 5):
        give_gradients(model, t)
        for i, p in enumerate(others):
            g = p.grad
            m[i] = 0.9 * m[i] + 0.1 * g
            v[i] = 0.98 * v[i] + 0.02 * g**2
            root = (v[i] / (1 - 0.98**t)).sqrt()
            expected[i] = expected[i] - ADAMW_LR * m[i] / (1 - 0.9**t) / (root + 1e-9)
        adamw.step()
    for p, e in zip(others, expected, strict=True):
        torch.testing.assert_close(p.detach(), e, rtol=0, atol=1e-12)


@pytest.mark.parametrize(("dtype", "atol"), [(torch.bfloat16, 1e-6), (torch.float32, 0.04)])
def test_matrices_move_as_pytorch_moves_them(dtype: torch.dtype, atol: float) -> None:
    """PyTorch's Muon multiplies in bfloat16. In bfloat16, ours makes the same steps.

    In float32, they differ by what bfloat16 rounds away.
    """
    ours, theirs = model_of("transformer"), model_of("transformer")
    muon, _ = optimizers_of(ours, dtype)
    names = {id(p): name for name, p in ours.named_parameters()}
    matrices = [names[id(p)] for p in muon.param_groups[0]["params"]]
    weights = [theirs.get_parameter(name) for name in matrices]
    peer = torch.optim.Muon(weights, lr=MUON_LR, weight_decay=0.1, adjust_lr_fn="match_rms_adamw")
    for seed in range(3):
        steps(ours, [muon], range(seed, seed + 1))
        steps(theirs, [peer], range(seed, seed + 1))
        for name in matrices:
            w = ours.get_parameter(name).detach()
            size = 0.2 * math.sqrt(max(w.shape)) * MUON_LR * (seed + 1)
            apart = (w - theirs.get_parameter(name).detach()) / size
            assert apart.abs().max() < atol


def test_an_orthogonal_matrix_has_singular_values_near_one() -> None:
    """The iteration brings them to between 0.68 and 1.13. The singular vectors do not change."""
    for shape in ((14, 37), (37, 14), (20, 20)):
        g = torch.randn(shape, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
        u, _, v = torch.linalg.svd(g, full_matrices=False)
        matrix = module.orthogonal(g)
        values = u.T @ matrix @ v.T
        torch.testing.assert_close(values, values.diag().diag(), rtol=0, atol=1e-10)
        assert 0.6 < values.diag().min() < values.diag().max() < 1.25


def test_the_learning_rate_is_a_share_of_the_peak_not_of_the_last_rate() -> None:
    optimizers = optimizers_of(model_of("transformer"))
    for factor in (0.5, 0.5, 0.25, 1.0):
        scale_learning_rates(optimizers, factor)
        rates = [group["lr"] for optimizer in optimizers for group in optimizer.param_groups]
        assert rates == [MUON_LR * factor, ADAMW_LR * factor]


def test_the_state_of_the_optimizers_can_be_restored() -> None:
    through, stopped = model_of("transformer"), model_of("transformer")
    whole = optimizers_of(through)
    steps(through, whole, range(3))
    first = optimizers_of(stopped)
    steps(stopped, first, range(2))
    remembered = {name: tensor.clone() for name, tensor in state_tensors(first).items()}
    again = optimizers_of(stopped)
    load_state_tensors(again, remembered)
    steps(stopped, again, range(2, 3))
    for p, q in zip(through.parameters(), stopped.parameters(), strict=True):
        assert torch.equal(p, q)
    assert {name.split(".")[1] for name in remembered} == {"0", "1"}
