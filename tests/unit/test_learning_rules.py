"""What a training begins with, drops, and goes down by, and in which number format."""

import math
import time
from itertools import pairwise

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from torch.nn import functional as F

from model.nn import dropout as module
from model.nn.dropout import Dropout
from model.recurrent.config import RECURRENT_ARCHS, RecurrentConfig
from model.recurrent.model import RecurrentEncoderDecoder
from model.training.loss import _ROWS, smoothed_cross_entropy
from model.training.optimizer import learning_rate_factor
from model.training.precision import MixedPrecision, choose_precision
from model.transformer.config import ModelConfig
from model.transformer.transformer import Transformer
from tests.conftest import tiny_model

D_MODEL, V = 26, 997


def uniform(weight: Tensor) -> None:
    """Xavier: ± √(6 / (in + out)), none beyond, some near, the mean at 0 (five deviations)."""
    bound = math.sqrt(6 / sum(weight.shape))
    assert 0.9 * bound < weight.abs().max() <= bound
    assert abs(weight.mean()) < 5 * bound / math.sqrt(3 * weight.numel())


def of_unit_variance_once_scaled(tokens: Tensor) -> None:
    """N(0, 1 / d_model): of 25,922 numbers the deviation is known to within 2.2 % (5 / √(2 n))."""
    assert tokens.shape == (V, D_MODEL)
    assert float(tokens.std()) * math.sqrt(D_MODEL) == pytest.approx(1, abs=0.022)


@pytest.mark.parametrize("tied", [True, False])
@torch.no_grad()
def test_weights_of_the_transformer(tied):
    """PE(position) is computed from its formula: no file of weights holds it."""
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
            assert bool((p == 1).all()), name  # gains of the norms
        elif "tokens" not in name and name != "unembed.weight":
            uniform(p)
    learned = {p.data_ptr() for p in model.parameters()}
    assert {tensor.data_ptr() for tensor in model.state_dict().values()} == learned


@pytest.mark.parametrize("cell", ["rnn", "gru", "lstm"])
@pytest.mark.parametrize("arch", RECURRENT_ARCHS)
@torch.no_grad()
def test_weights_of_the_recurrent_models(arch, cell):
    """Every block of W_h is orthogonal, so that a state keeps its length."""
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
    n_cells = 3 if arch == "bahdanau" else 2  # the encoder's and the decoder's
    assert orthogonal == n_cells * {"rnn": 1, "gru": 3, "lstm": 4}[cell]


@pytest.mark.parametrize("p", [0.1, 0.9])
def test_a_share_of_p_is_zero_and_the_rest_keeps_the_sum(p):
    """Of 310,000 values the share of zeros stays within five standard deviations of p."""
    torch.manual_seed(1)
    x = torch.ones(10, 31, 1000)
    out = Dropout(p).train()(x)
    assert out.shape == x.shape
    assert set(out.unique().tolist()) == {0.0, torch.tensor(1 / (1 - p)).item()}
    share = (out == 0).float().mean().item()
    assert abs(share - p) < 5 * math.sqrt(p * (1 - p) / x.numel())


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_other_values_in_every_call_and_the_same_for_a_seed(dtype):
    layer, x = Dropout(0.5).train(), torch.randn(7, 11, dtype=dtype, requires_grad=True)
    torch.manual_seed(2)
    first, second = layer(x), layer(x)
    assert first.dtype == dtype
    assert not torch.equal(first, second)
    torch.manual_seed(2)
    assert torch.equal(layer(x), first)
    first.sum().backward()
    assert torch.equal(x.grad, torch.where(first == 0, 0.0, 2.0).to(dtype))
    assert Dropout(0.5).eval()(x) is x
    assert Dropout(0.0).train()(x) is x


@pytest.mark.parametrize("size", [28, 29, 30, 40])
def test_a_tensor_as_large_as_the_pool_is_dropped_by_pytorch(size, monkeypatch):
    """A pool of 29: up to 28 values find a stretch in it, from 29 on there is none to choose."""
    module._mask_pool.cache_clear()
    monkeypatch.setattr(module, "_POOL_SIZE", 29)
    own = []
    monkeypatch.setattr(module.F, "dropout", lambda x, p: own.append(p) or x)
    for _ in range(50):
        assert Dropout(0.25).train()(torch.ones(size)).shape == (size,)
    assert own == ([] if size < 29 else [0.25] * 50)
    module._mask_pool.cache_clear()


def inputs(n: int, dtype: torch.dtype) -> tuple[Tensor, Tensor, Tensor]:
    generator = torch.Generator().manual_seed(n)
    decoded = torch.randn(n, 7, generator=generator, dtype=torch.float64).to(dtype)
    unembed = torch.randn(23, 7, generator=generator, dtype=torch.float64).to(dtype)
    labels = torch.randint(23, (n,), generator=generator)
    return decoded.requires_grad_(), unembed.requires_grad_(), labels


@pytest.mark.parametrize("n", [1, _ROWS - 1, _ROWS, _ROWS + 1, 2 * _ROWS + 37])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_loss_and_gradients_made_slice_by_slice_are_pytorchs(n, smoothing):
    decoded, unembed, labels = inputs(n, torch.float64)
    loss = smoothed_cross_entropy(decoded, unembed, labels, smoothing)
    (3 * loss).backward()  # 3: what comes from above must be passed on
    other, other_unembed, _ = inputs(n, torch.float64)
    expected = F.cross_entropy(other @ other_unembed.T, labels, label_smoothing=smoothing)
    (3 * expected).backward()
    ours = (loss, decoded.grad, unembed.grad)
    theirs = (expected, other.grad, other_unembed.grad)
    torch.testing.assert_close(ours, theirs, rtol=1e-12, atol=1e-12)


def test_bfloat16_gives_a_float32_loss_and_bfloat16_gradients():
    decoded, unembed, labels = inputs(100, torch.bfloat16)
    loss = smoothed_cross_entropy(decoded, unembed, labels, 0.1)
    loss.backward()
    logits = decoded.detach().double() @ unembed.detach().double().T
    exact = F.cross_entropy(logits, labels, label_smoothing=0.1)
    assert loss.dtype == torch.float32
    assert loss.item() == pytest.approx(exact.item(), rel=0.01)  # bfloat16 keeps 8 bits: 0.4 %
    assert decoded.grad.dtype == unembed.grad.dtype == torch.bfloat16


def test_slices_add_up_without_rounding_to_bfloat16():
    decoded, unembed, _ = inputs(20 * _ROWS, torch.bfloat16)
    labels = torch.zeros(20 * _ROWS, dtype=torch.int64)  # every slice pulls the same way
    smoothed_cross_entropy(decoded, unembed, labels, 0.1).backward()
    exact = unembed.detach().double().requires_grad_()
    F.cross_entropy(decoded.detach().double() @ exact.T, labels, label_smoothing=0.1).backward()
    assert (unembed.grad - exact.grad).norm() < 0.003 * exact.grad.norm()  # once rounded: 0.2 %


def test_the_loss_of_an_impossible_label_is_finite():
    decoded, unembed = torch.tensor([[1000.0]]), torch.tensor([[1.0], [-1.0]])
    loss = smoothed_cross_entropy(decoded, unembed, torch.tensor([1]), 0.0)
    assert 80 < loss.item() < 100  # -log of the smallest float32


def factors(n_steps: int, warmup: int, cooldown: float) -> list[float]:
    how = {"n_steps": n_steps, "warmup": warmup, "cooldown": cooldown}
    return [learning_rate_factor(step, **how) for step in range(n_steps)]


def test_up_along_and_down():
    course = factors(1000, warmup=100, cooldown=0.2)
    assert course[:100] == pytest.approx([(step + 1) / 100 for step in range(100)])
    assert course[100:800] == [1.0] * 700
    assert course[800:] == pytest.approx([(1000 - step) / 200 for step in range(800, 1000)])
    assert factors(2000, 100, 0.2)[:800] == course[:800]  # a longer run repeats a shorter one
    assert factors(10, warmup=0, cooldown=0.1) == [1.0] * 10


def test_ramps_that_meet_leave_no_plateau():
    """Up (s + 1) / 6, down (10 - s) / 10: they cross between steps 3 and 4."""
    expected = [1 / 6, 2 / 6, 3 / 6, 4 / 6, 6 / 10, 5 / 10, 4 / 10, 3 / 10, 2 / 10, 1 / 10]
    assert factors(10, warmup=6, cooldown=1.0) == pytest.approx(expected)


@given(n_steps=st.integers(1, 300), warmup=st.integers(0, 400), cooldown=st.floats(0.01, 1.0))
def test_one_hill_that_stays_above_zero(n_steps, warmup, cooldown):
    course = factors(n_steps, warmup, cooldown)
    assert all(0 < factor <= 1 for factor in course)
    falls = [after < before for before, after in pairwise(course)]
    assert falls == sorted(falls)  # once it falls, it never rises again


CPU = torch.device("cpu")


@pytest.mark.parametrize(
    ("bfloat16", "float32", "times", "name"),
    [
        ([0.1] * 3, [0.3] * 3, "3", "bfloat16"),
        ([0.1] * 3, [0.125] * 3, "1.2", "bfloat16"),
        ([0.1] * 3, [0.12] * 3, "1.2", "float32"),  # more than 1.2 times is worth it
        ([38.0] * 3, [0.2] * 3, "0.0053", "float32"),  # without its instructions: three say enough
        # the best counts, and the first is to warm up; where they are quick, of ten
        ([0.01, *[0.02] * 9, 0.015], [0.01, *[0.02] * 9, 0.06], "1.3", "bfloat16"),
    ],
)
def test_the_faster_one_is_taken(bfloat16, float32, times, name, monkeypatch):
    """A clock that says how long each product took, which lies between two looks at it."""
    clock = iter([look for lasts in (*bfloat16, *float32) for look in (0.0, lasts)])
    monkeypatch.setattr(time, "perf_counter", lambda: next(clock))
    small = torch.ones(1, 1)
    monkeypatch.setattr(torch, "ones", lambda *_, **__: small)
    dtype, why = choose_precision(CPU, "auto")
    monkeypatch.undo()
    assert list(clock) == []
    assert dtype == getattr(torch, name)
    assert why.startswith(f"{name}: a bfloat16 matrix product is {times} times as fast")


@pytest.mark.parametrize("name", ["float32", "bfloat16"])
def test_what_is_asked_for_is_taken_unmeasured(name):
    assert choose_precision(CPU, name) == (getattr(torch, name), f"{name}, as asked")


def test_float32_needs_no_second_model(tokenizer):
    model = tiny_model(tokenizer)
    precision = MixedPrecision(model, torch.float32)
    assert precision.working is precision.master is model
    for p in model.parameters():
        p.grad = torch.ones_like(p)
    precision.move_gradients()
    assert all(bool((p.grad == 1).all()) for p in model.parameters())
    precision.refresh()


def test_masters_learn_what_bfloat16_would_lose(tokenizer):
    """Above 1 it counts in steps of 2^-7: one 2^-9 at a time is lost, three together are not."""
    model = tiny_model(tokenizer)
    precision = MixedPrecision(model, torch.bfloat16)
    working, masters = list(precision.working.parameters()), list(model.parameters())
    assert all(w.dtype == torch.bfloat16 for w in working)
    for p in masters:
        p.data.fill_(1.0)
        p.grad = torch.ones_like(p)
    precision.move_gradients()
    assert all(p.grad is None for p in masters)
    seen = []
    for _ in range(4):
        for w in working:
            w.grad = torch.full_like(w, -(2.0**-9))
        precision.move_gradients()
        assert all(w.grad is None for w in working)
        for p in masters:
            assert p.grad is not None
            assert p.grad.dtype == torch.float32
            p.data -= p.grad
        precision.refresh()
        seen.append({float(w.detach().flatten()[0]) for w in working})
    assert seen == [{1.0}, {1.0}, {1.0078125}, {1.0078125}]
    assert {float(p.detach().flatten()[0]) for p in masters} == {1 + 4 * 2.0**-9}
