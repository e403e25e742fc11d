"""Training, tracing and decoding make every tensor on the model's device: they run on a GPU too.

Where there is none, "meta" plays the wrong device: it is the default one, so that a tensor made
without saying where lands there, and PyTorch refuses to mix the two.
"""

from pathlib import Path

import numpy as np
import pytest
import torch

from model import load
from model.corpora.split import split_corpus
from model.decoding.beam_tree import beam_tree
from model.decoding.sampling import sample
from model.evaluation.scoring import evaluate
from model.recurrent.config import RecurrentConfig
from model.recurrent.model import RecurrentEncoderDecoder
from model.trace.logit_lens import logit_lens
from model.trace.recurrent import RecurrentTrace
from model.trace.tracing import trace_pair
from model.trace.transformer import Trace
from model.training.config import TrainingConfig
from model.training.trainer import Setup, Training
from model.transformer.config import ModelConfig

ARCHS = ("transformer", "seq2seq", "luong", "bahdanau")
TEXT = "The cat sleeps."


def training(arch: str, device: str, pairs, tokenizer, folder=Path("nowhere")) -> Training:
    sizes = {"vocab_size": tokenizer.vocab_size, "d_model": 16, "dropout": 0.2}
    model = (
        ModelConfig(**sizes, n_heads=2, n_layers=1, d_ff=32, max_length=61)
        if arch == "transformer"
        else RecurrentConfig(**sizes, arch=arch, d_hidden=16, max_length=61)
    )
    return Training(
        Setup(
            architecture=model,
            config=TrainingConfig(steps=3, token_budget=300),
            split=split_corpus(pairs),
            tokenizer=tokenizer,
            folder=folder,
            device=torch.device(device),
            dtype=torch.float32,
        )
    )


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


def trace_by_any_way(model, tokenizer) -> list[Trace] | list[RecurrentTrace]:
    """Return traces: generated greedily, by beam search, and of a given translation."""
    recurrent = isinstance(model, RecurrentEncoderDecoder)
    trace_class = RecurrentTrace if recurrent else Trace
    return [
        trace_pair(trace_class, model, tokenizer, TEXT),
        trace_pair(trace_class, model, tokenizer, TEXT, beam=2),
        trace_pair(trace_class, model, tokenizer, TEXT, target="Le chat dort."),
    ]


@pytest.mark.usefixtures("short_texts")
@pytest.mark.parametrize("arch", ARCHS)
def test_a_trace_is_made_on_the_device_of_the_model(arch, pairs, tokenizer):
    model = training(arch, "cpu", pairs, tokenizer).model.eval()
    with torch.device("meta"):
        traces = trace_by_any_way(model, tokenizer)
        sample(model, padded(tokenizer), **tokenizer.special_ids)
        if arch == "transformer":
            logit_lens(model, traces[0])
            beam_tree(model, tokenizer, tokenizer.encode_ids([TEXT])[0], beam=2)
    assert all(np.isfinite(trace.log_probs).all() for trace in traces)


def padded(tokenizer) -> torch.Tensor:
    """Return one sentence (1, S) on the CPU."""
    return torch.tensor(tokenizer.encode_ids([TEXT]), device="cpu")


def test_a_moved_model_decodes_by_itself(tiny_checkpoint):
    """The copies that are laid out for speed stay where they were made."""
    own = load(tiny_checkpoint)
    assert own.decoder is not own.model
    own.model.to("meta")
    assert own.decoder is own.model


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here")
def test_a_trace_on_a_gpu(tiny_checkpoint):
    own = load(tiny_checkpoint)
    expected = own.trace(TEXT, target="Le chat dort.")
    own.model.to("cuda")
    on_gpu = own.trace(TEXT, target="Le chat dort.")
    assert own.trace(TEXT, beam=2).next_tokens
    np.testing.assert_allclose(on_gpu.log_probs, expected.log_probs, atol=1e-3)
    assert logit_lens(own.model, on_gpu).ids.shape[1] == len(on_gpu.next_tokens)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here")
@pytest.mark.parametrize("arch", ARCHS)
def test_on_a_gpu(arch, pairs, tokenizer, tmp_path):
    run = training(arch, "cuda", pairs, tokenizer, tmp_path)
    losses = list(run.run())
    run.restore(run.read_state(tmp_path))
    assert len(losses) == 3
    assert all(p.device.type == "cuda" and p.isfinite().all() for p in run.model.parameters())
