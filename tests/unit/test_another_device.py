"""All tensors of a training are where the model is.

PyTorch's device "meta" computes shapes only, on any machine, and refuses to mix its tensors with
others: what a GPU would refuse, it refuses too. Where there is a GPU, it trains as well.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest
import torch
from torch import Tensor

from model.checkpoint.architectures import AnyConfig
from model.data.corpus import Pair, split_corpus
from model.data.tokenizer import Tokenizer
from model.recurrent.config import RECURRENT_ARCHS, RecurrentConfig
from model.training.trainer import Training, TrainingConfig
from model.transformer.config import ModelConfig

CONFIG = TrainingConfig(steps=4, token_budget=150, bpe_dropout=0.1)
TRANSFORMER = ModelConfig(vocab_size=1, d_model=16, n_heads=2, n_layers=1, d_ff=32, max_length=61)
CONFIGS = [TRANSFORMER] + [
    RecurrentConfig(vocab_size=1, arch=arch, d_model=16, d_hidden=12, max_length=61)
    for arch in RECURRENT_ARCHS
]
CUDA = pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here")


def training(
    pairs: list[Pair], config: AnyConfig, tokenizer: Tokenizer, folder: Path, device: str
) -> Training:
    config = replace(config, vocab_size=tokenizer.vocab_size, dropout=0.1)
    where = {"device": torch.device(device), "dtype": torch.bfloat16}
    return Training(config, CONFIG, split_corpus(pairs), tokenizer, folder, **where)


def every_place(mask: Tensor) -> Tensor:
    """Which labels are no padding cannot be known from shapes alone: all, let us say."""
    return mask.new_empty(mask.numel(), mask.dim(), dtype=torch.int64)


@pytest.mark.parametrize("config", CONFIGS, ids=lambda c: getattr(c, "arch", "transformer"))
def test_a_step_makes_no_tensor_anywhere_else(pairs, tokenizer, tmp_path, monkeypatch, config):
    run = training(pairs, config, tokenizer, tmp_path, "meta")
    monkeypatch.setattr(torch.Tensor, "item", lambda _: 1.0)
    for optimizer in run.optimizers:
        for group in optimizer.param_groups:
            group["fused"] = False  # the one thing that this device cannot
    ahead = islice(run._batches_ahead(), 12)
    batch = min(ahead, key=lambda b: b.src.shape[1] + b.tgt.shape[1])  # a recurrence is slow here
    with pytest.raises(RuntimeError, match="device"):
        run.model.encode(batch.src, torch.ones(len(batch.src), 1, 1, batch.src.shape[1]) > 0)
    with torch.library._scoped_library("aten", "IMPL") as library:
        library.impl("nonzero", every_place, "Meta")
        run.train_step(batch)
    learned = [
        t for optimizer in run.optimizers for s in optimizer.state.values() for t in s.values()
    ]
    assert any(t.device.type == "meta" for t in learned if isinstance(t, torch.Tensor))


@CUDA
def test_a_run_on_a_gpu_is_saved_and_resumed(pairs, tokenizer, tmp_path):
    run = training(pairs, TRANSFORMER, tokenizer, tmp_path, "cuda")
    losses: list[float] = []
    run.run(losses.append)
    again = training(pairs, TRANSFORMER, tokenizer, tmp_path, "cuda")
    again.go_back_to(again.read_state())
    assert again.progress.step == len(losses) == CONFIG.steps
    for own, saved in zip(again.model.parameters(), run.model.parameters(), strict=True):
        assert own.device.type == "cuda"
        assert torch.equal(own, saved)
