"""Training, tracing and decoding make every tensor on the model's device, so they run on a GPU.

Without a GPU, PyTorch's device "meta" is used: it is made the default device. A tensor that is made
without naming a device is then on "meta", and PyTorch refuses to mix the two.
"""

from pathlib import Path

import numpy as np
import pytest
import torch

from model import TranslationModel, load
from model.corpora.split import split_corpus
from model.decoding.beam_tree import beam_tree
from model.decoding.sampling import sample
from model.evaluation.scoring import evaluate
from model.faithfulness.occlusion import OCCLUSION_MODES, occlusion_costs
from model.faithfulness.source_maps import source_maps
from model.heads.analysis import gradient_importance, mean_log_prob
from model.interventions.ablation import (
    ABLATION_MODES,
    ablation_effect,
    ablations_of,
    head_means,
)
from model.interventions.contrast import Contrast, contrast_without
from model.interventions.leave_one_out import (
    change_without_each_head,
    leave_one_token_out,
    read_without_each_head,
    read_without_each_token,
)
from model.interventions.linking_heads import Link, links_of_heads
from model.interventions.patching import Pair, n_patches, patch_each
from model.maps.contributions import from_source
from model.maps.logit_attribution import attribute_logits
from model.maps.value_norms import head_norms
from model.recurrent.config import RecurrentConfig
from model.recurrent.model import RecurrentEncoderDecoder
from model.trace.logit_lens import logit_lens
from model.trace.recurrent import RecurrentTrace
from model.trace.tracing import trace_pair
from model.trace.transformer import Trace
from model.training.config import TrainingConfig
from model.training.trainer import Setup, Training
from model.transformer.config import ModelConfig
from model.transformer.heads import KINDS, all_heads
from model.translation_model import load_transformer
from tests.hub_models import KINDS as KINDS_OF_FOLDERS
from tests.hub_models import save_folder

ARCHS = ("transformer", "seq2seq", "luong", "bahdanau")
TEXT = "The cat sleeps."


def training(arch: str, device: str, pairs, tokenizer, folder=Path("nowhere")) -> Training:
    """Return a training of three steps with a small model on this device."""
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
def test_every_tensor_is_made_on_a_given_device(arch, pairs, tokenizer, monkeypatch):
    # on a GPU, dropout uses no pool of random numbers
    monkeypatch.setattr("model.nn.dropout._POOL_SIZE", 0)
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


def test_a_moved_model_decodes_without_its_fast_copy(tiny_checkpoint):
    """The copies of the weights for fast decoding stay on the device on which they were made.

    So after a move the model decodes without them.
    """
    own = load(tiny_checkpoint)
    assert own.decoder is not own.model
    own.model.to("meta")
    assert own.decoder is own.model
    assert own.drafter is None


def test_a_converted_model_decodes_without_its_fast_copy(tiny_checkpoint):
    """It is converted after it was loaded, or before a ``TranslationModel`` is made of it."""
    own = load(tiny_checkpoint)
    expected = own.trace(TEXT)
    own.model.double()
    assert own.trace(TEXT).tgt_ids == expected.tgt_ids
    assert own.translate([TEXT])[0].ids == tuple(expected.tgt_ids[1:])
    converted = TranslationModel(own.folder, own.model, own.tokenizer, own.training)
    assert converted.trace(TEXT, beam=2).next_tokens
    own.model.float()
    assert converted.drafter is None
    assert converted.trace(TEXT).tgt_ids == expected.tgt_ids


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here")
def test_a_trace_on_a_gpu_equals_one_on_the_cpu(tiny_checkpoint):
    own = load(tiny_checkpoint)
    expected = own.trace(TEXT, target="Le chat dort.")
    own.model.to("cuda")
    on_gpu = own.trace(TEXT, target="Le chat dort.")
    assert own.trace(TEXT, beam=2).next_tokens
    np.testing.assert_allclose(on_gpu.log_probs, expected.log_probs, atol=1e-3)
    assert logit_lens(own.model, on_gpu).ids.shape[1] == len(on_gpu.next_tokens)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here")
@pytest.mark.parametrize("arch", ARCHS)
def test_a_training_on_a_gpu_makes_its_steps(arch, pairs, tokenizer, tmp_path):
    run = training(arch, "cuda", pairs, tokenizer, tmp_path)
    losses = list(run.run())
    run.restore(run.read_state(tmp_path))
    assert len(losses) == 3
    assert all(p.device.type == "cuda" and p.isfinite().all() for p in run.model.parameters())


def measure_everything(t: TranslationModel) -> None:
    """Run every measure that reads the weights or runs the model again."""
    trace = t.trace(TEXT)
    other = t.trace("A dog runs.")
    for kind in KINDS:
        t.contributions(trace, kind)
        head_norms(t.model, trace, kind, 0)
    from_source(t.model, trace)
    word, rival = trace.tgt_ids[1], (trace.tgt_ids[1] + 1) % t.config.vocab_size
    attribute_logits(t.model, trace, 0, word, rival)
    logit_lens(t.model, trace)
    heads = all_heads(t.config)[:2]
    means = head_means([trace]).means
    for mode in ABLATION_MODES:
        effect = ablation_effect(t, trace, ablations_of(t.config, heads, mode, means))
        assert np.isfinite(effect.log_probs).all()
    assert sum(len(part.distance) for part in leave_one_token_out(t, trace)) == len(trace.src)
    assert sum(map(len, change_without_each_head(t, trace))) == len(all_heads(t.config))
    contrast = Contrast(step=0, word=word, rival=rival, shared=0)
    for read_without_each in (read_without_each_token, read_without_each_head):
        list(contrast_without(read_without_each, t, trace, contrast))
    pair = Pair(
        first=torch.tensor([[token.id for token in trace.src]], device="cpu"),
        second=torch.tensor([[token.id for token in other.src]], device="cpu"),
        same_position=torch.zeros(len(other.src), dtype=torch.int64, device="cpu"),
        prefix=torch.tensor([trace.tgt_ids[:1]], device="cpu"),
        word=word,
        rival=rival,
    )
    assert len(list(patch_each(t.model, pair))) == n_patches(t.model)
    link = Link("cross", rows=range(0, 1), columns=range(1, 2), steps=range(0, 1))
    assert len(list(links_of_heads(t.model, trace, link))) == t.config.n_layers
    for way in OCCLUSION_MODES:
        occlusion_costs(t, trace, way, max_set_size=1)
    source_maps(t, trace)
    ids = (t.tokenizer.encode_ids([TEXT])[0], t.tokenizer.encode_ids([TEXT], "target")[0])
    gradient_importance(t, [ids])
    mean_log_prob(t, [ids], {})


@pytest.mark.usefixtures("short_texts")
@pytest.mark.parametrize(
    ("family", "dtype"),
    [
        ("own", torch.float64),
        ("t5", torch.float64),
        *((family, torch.float32) for family in ("own", *KINDS_OF_FOLDERS)),
    ],
    ids=str,
)
def test_every_measure_is_computed_on_the_device_of_the_model(
    family, dtype, tiny_checkpoint, tmp_path
):
    folder = tiny_checkpoint if family == "own" else save_folder(family, tmp_path / family)
    t = load_transformer(folder)
    t.model.to(dtype)
    with torch.device("meta"):
        measure_everything(t)
        if family == "own":  # models of the Hub use the beam search of the library
            t.trace(TEXT, beam=2)


@pytest.mark.parametrize("load_on", [load, load_transformer])
def test_a_missing_device_is_named(load_on, tiny_checkpoint):
    for device in ("meta", "cuda:99", "nonsense"):
        with pytest.raises(ValueError, match=f"device '{device}' here: leave device out"):
            load_on(tiny_checkpoint, device=device)
    assert load_on(tiny_checkpoint, device="cpu").model.device.type == "cpu"


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here")
@pytest.mark.parametrize("family", ["own", *KINDS_OF_FOLDERS])
def test_every_measure_runs_on_a_gpu(family, tiny_checkpoint, tmp_path):
    folder = tiny_checkpoint if family == "own" else save_folder(family, tmp_path / family)
    t = load(folder, device="cuda")
    assert t.model.device.type == "cuda"
    assert t.decoder.device.type == "cuda"
    measure_everything(t)
    assert t.trace(TEXT, beam=2).next_tokens
