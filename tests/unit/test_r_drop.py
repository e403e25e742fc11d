"""The divergence is PyTorch's, with its gradients; a weight of 0 is the plain training."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from model.data.batches import Batch, make_batch
from model.data.corpus import Pair, split_corpus
from model.data.tokenizer import Tokenizer
from model.training.r_drop import _ROWS, symmetric_kl
from model.training.trainer import Training, TrainingConfig
from model.transformer.config import ModelConfig

D_MODEL, V = 7, 23
TOLERANCE = {torch.float32: 1e-6, torch.float64: 1e-12}


def inputs(n: int, dtype: torch.dtype) -> list[Tensor]:
    generator = torch.Generator().manual_seed(n)
    shapes = [(n, D_MODEL), (n, D_MODEL), (V, D_MODEL)]
    drawn = (torch.randn(s, generator=generator, dtype=torch.float64) for s in shapes)
    return [x.to(dtype).requires_grad_() for x in drawn]


@pytest.mark.parametrize("dtype", TOLERANCE, ids=str)
@pytest.mark.parametrize("n", [1, _ROWS, _ROWS + 1])
def test_value_and_gradients_are_pytorchs(n: int, dtype: torch.dtype) -> None:
    ours, theirs = inputs(n, dtype), inputs(n, dtype)
    (3 * symmetric_kl(*ours)).backward()
    log_p = F.log_softmax(theirs[0] @ theirs[2].T, dim=1)
    log_q = F.log_softmax(theirs[1] @ theirs[2].T, dim=1)
    expected = sum(
        F.kl_div(a, b, reduction="batchmean", log_target=True)
        for a, b in ((log_p, log_q), (log_q, log_p))
    )
    (3 * expected / 2).backward()
    limit = {"rtol": 10 * TOLERANCE[dtype], "atol": 10 * TOLERANCE[dtype]}
    torch.testing.assert_close(symmetric_kl(*ours), expected / 2, **limit)
    for mine, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(mine.grad, other.grad, **limit)


def training(
    pairs: list[Pair], tokenizer: Tokenizer, folder: Path, *, dropout: float, r_drop: float
) -> Training:
    sizes = {"d_model": 16, "n_heads": 2, "n_layers": 1, "d_ff": 32}
    model = ModelConfig(vocab_size=tokenizer.vocab_size, dropout=dropout, **sizes)
    config = replace(TrainingConfig(steps=9), r_drop=r_drop)
    how = {"device": torch.device("cpu"), "dtype": torch.float32}
    return Training(model, config, split_corpus(pairs), tokenizer, folder, **how)


@pytest.fixture(scope="module")
def batch(pairs: list[Pair], tokenizer: Tokenizer) -> Batch:
    texts = zip(*pairs[:9], strict=True)
    sources, targets = (tokenizer.encode_ids(side) for side in texts)
    return make_batch(list(zip(sources, targets, strict=True)), tokenizer.pad_id)


def weights_after_a_step(run: Training, batch: Batch) -> Tensor:
    run.train_step(batch)
    return torch.cat([p.detach().flatten() for p in run.model.parameters()])


def test_without_dropout_the_two_passes_agree(
    pairs: list[Pair], tokenizer: Tokenizer, batch: Batch, tmp_path: Path
) -> None:
    plain, twice = (
        weights_after_a_step(
            training(pairs, tokenizer, tmp_path, dropout=0.0, r_drop=weight), batch
        )
        for weight in (0.0, 5.0)
    )
    torch.testing.assert_close(twice, plain, rtol=1e-4, atol=1e-5)


def test_with_dropout_the_weight_counts(
    pairs: list[Pair], tokenizer: Tokenizer, batch: Batch, tmp_path: Path
) -> None:
    one, other = (
        weights_after_a_step(
            training(pairs, tokenizer, tmp_path, dropout=0.3, r_drop=weight), batch
        )
        for weight in (0.5, 5.0)
    )
    assert not torch.allclose(one, other)


def test_a_weight_of_nothing_which_is_the_default_goes_through_the_model_once(
    pairs: list[Pair],
    tokenizer: Tokenizer,
    batch: Batch,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for weight, passes in ((TrainingConfig(steps=9).r_drop, 1), (0.0, 1), (1.0, 2)):
        run = training(pairs, tokenizer, tmp_path, dropout=0.3, r_drop=weight)
        calls: list[None] = []
        encode = run.model.encode
        monkeypatch.setattr(
            run.model,
            "encode",
            lambda *a, calls=calls, encode=encode: (calls.append(None), encode(*a))[1],
        )
        run.train_step(batch)
        assert len(calls) == passes


def test_the_loss_is_that_of_the_paper_halved(
    pairs: list[Pair],
    tokenizer: Tokenizer,
    batch: Batch,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Equation 4 is L1 + L2 + α KL: half of it pulls by 1 at the losses' mean, by α / 2 at KL."""
    kl, losses = torch.tensor(3.0, requires_grad=True), torch.tensor([2.0, 4.0], requires_grad=True)
    each = iter(losses)
    monkeypatch.setattr("model.training.objective.symmetric_kl", lambda *_: 1 * kl)
    monkeypatch.setattr("model.training.objective.smoothed_cross_entropy", lambda *_: next(each))
    run = training(pairs, tokenizer, tmp_path, dropout=0.3, r_drop=5.0)
    for p in run.model.parameters():
        p.grad = torch.zeros_like(p)  # nothing of the model is behind these losses
    assert run.train_step(batch) == 3.0
    assert kl.grad is not None
    assert losses.grad is not None
    assert kl.grad.item() == 2.5
    assert losses.grad.tolist() == [0.5, 0.5]
