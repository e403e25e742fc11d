"""All that a training touches is made on its own device, so that it runs on a GPU too.

Where there is none, "meta" plays the wrong device: it is the default one, so that a tensor made
without saying where lands there, and PyTorch refuses to mix the two.
"""

from pathlib import Path

import pytest
import torch

from model.corpora.corpus import split_corpus
from model.evaluation.scoring import evaluate
from model.recurrent.config import RecurrentConfig
from model.training.config import TrainingConfig
from model.training.trainer import Training
from model.transformer.config import ModelConfig

ARCHS = ("transformer", "seq2seq", "luong", "bahdanau")


def training(arch: str, device: str, pairs, tokenizer) -> Training:
    sizes = {"vocab_size": tokenizer.vocab_size, "d_model": 16, "dropout": 0.2}
    model = (
        ModelConfig(**sizes, n_heads=2, n_layers=1, d_ff=32, max_length=61)
        if arch == "transformer"
        else RecurrentConfig(**sizes, arch=arch, d_hidden=16, max_length=61)
    )
    config = TrainingConfig(steps=3, token_budget=300)
    how = {"device": torch.device(device), "dtype": torch.float32}
    return Training(model, config, split_corpus(pairs), tokenizer, Path("nowhere"), **how)


@pytest.mark.usefixtures("short_texts")
@pytest.mark.parametrize("arch", ARCHS)
def test_no_tensor_is_made_without_saying_where(arch, pairs, tokenizer, monkeypatch):
    monkeypatch.setattr("model.nn.dropout._POOL_SIZE", 0)  # dropout as it is on a GPU
    run = training(arch, "cpu", pairs, tokenizer)
    batch = next(run._batches_ahead())
    with torch.device("meta"):
        run.train_step(batch)
        for beam in (1, 2):
            evaluate(run.average, tokenizer, {pairs[0][0]: [pairs[0][1]]}, beam=beam)
    assert all(p.isfinite().all() for p in run.model.parameters())


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here")
@pytest.mark.parametrize("arch", ARCHS)
def test_on_a_gpu(arch, pairs, tokenizer, tmp_path):
    run = training(arch, "cuda", pairs, tokenizer)
    run.folder = tmp_path
    losses = list(run.run())
    run.go_back_to(run.read_state())
    assert len(losses) == 3
    assert all(p.device.type == "cuda" and p.isfinite().all() for p in run.model.parameters())
