"""What lesson 7 says about the machine, measured."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from model import InputError, load
from model.lessons.cost.complexity import attention_bytes, complexities
from model.lessons.scaling.score_functions import draw_score_functions, measure_costs
from model.trace.transformer import KINDS
from ui.text.examples import DEFAULT_SENTENCE


@pytest.fixture(scope="module")
def shipped(shipped_checkpoint):
    return load(shipped_checkpoint)


@pytest.fixture(scope="module")
def trace(shipped):
    return shipped.trace(DEFAULT_SENTENCE)


def test_the_equation_is_what_the_model_runs(shipped, trace):
    """softmax(decoder(y, encoder(x)) W_Uᵀ), and greedy decoding takes its largest."""
    decoded = torch.tensor(trace.records["decoder.decoded"])
    with torch.no_grad():
        p = (decoded @ shipped.model.unembed.weight.T).softmax(dim=-1)  # (T, V)
    written = torch.tensor(trace.tgt_ids[1:])
    np.testing.assert_allclose(p[range(len(p)), written].log(), trace.log_probs, atol=1e-3)
    assert torch.equal(p.argmax(dim=-1), written)


def test_the_source_is_read_once(shipped, trace):
    """Whatever the target, the memory is the same."""
    other = shipped.trace(DEFAULT_SENTENCE, target="Bonjour.")
    assert np.array_equal(other.records["encoder.memory"], trace.records["encoder.memory"])


def test_the_token_written_is_what_the_decoder_reads_next(trace):
    assert trace.tgt_tokens[1:] == trace.next_tokens[:-1]


def test_every_decoder_layer_looks_at_the_memory(shipped, trace):
    memory = torch.tensor(trace.records["encoder.memory"])  # (S, d_model)
    for layer, block in enumerate(shipped.model.decoder.blocks):
        with torch.no_grad():
            keys = block.cross_attention.w_k(memory)  # (S, d_model)
        k = trace.records[f"decoder.{layer}.cross.k"].transpose(1, 0, 2).reshape(len(memory), -1)
        np.testing.assert_allclose(keys, k, atol=1e-3)


def _variance(name: str, d_k: int) -> float:
    """Of the scores of 64 x 64 pairs of N(0, 1) vectors, mean over ten draws of its weights."""
    found = []
    for seed in range(10):
        q, k = torch.randn(2, 64, d_k, generator=torch.Generator().manual_seed(seed))
        found.append(draw_score_functions(seed, d_k=d_k, n_positions=64)[name](q, k).var())
    return float(torch.stack(found).mean())


def test_additive_scores_do_not_grow_with_d_k_and_dot_products_do():
    assert _variance("dot", 256) > 10 * _variance("dot", 16)
    assert 0.5 < _variance("additive", 256) / _variance("additive", 16) < 2


def test_additive_scores_take_longer():
    functions = draw_score_functions(0, d_k=64, n_positions=256)
    seconds = dict(measure_costs(functions, n=256, d_k=64, repeats=5))
    assert seconds["additive"] > 3 * seconds["scaled"]


def test_in_the_decoder_a_position_sees_only_what_came_before_in_the_encoder_everything(shipped):
    one, other = "I see a cat.", "I see a dog."
    memories = [shipped.trace(text, target="Je").records["encoder.memory"] for text in (one, other)]
    assert np.abs(memories[0][1] - memories[1][1]).max() > 0.01  # "I" knows how it ends
    logits = [
        shipped.trace(one, target=text).records["logits"]
        for text in ("Je vois un chat.", "Je vois un chien.")
    ]
    np.testing.assert_allclose(logits[0][:3], logits[1][:3], atol=1e-3)  # <bos>, Je, vois


def test_a_too_long_text_is_refused_with_a_sentence(shipped):
    with pytest.raises(InputError, match="use a shorter one"):
        shipped.trace("a " * shipped.config.max_length)


def test_twice_the_tokens_four_times_the_attention_weights(shipped):
    once, twice = (
        attention_bytes(n_heads=shipped.config.n_heads, n=n, bytes_each=1) for n in (50, 100)
    )
    assert twice == 4 * once
    for kind in KINDS:  # and these are the weights that there are
        maps = shipped.trace("I see.").attention(kind)
        n, m = len(maps.query_tokens), len(maps.key_tokens)
        assert maps.weights[0].size == shipped.config.n_heads * n * m


def test_a_window_is_cheaper_and_its_way_longer():
    rows = complexities(n=1024, d=64, k=3, r=16)
    assert rows["self"].work == 1024**2 * 64
    assert rows["restricted"].work == 16 * 1024 * 64
    assert (rows["self"].path, rows["restricted"].path) == (1, 1024 // 16)


@pytest.mark.parametrize("text", ["I see a cat.", DEFAULT_SENTENCE])
def test_position_and_embedding_and_residuals_are_sums(shipped, text):
    records = shipped.trace(text).records
    total = records["encoder.token_embedding"] + records["encoder.position"]
    np.testing.assert_allclose(records["encoder.embedded"], total, atol=1e-5)
    after = records["encoder.1.resid_pre"] + records["encoder.1.self.attn_out"]
    np.testing.assert_allclose(records["encoder.1.resid_mid"], after, atol=1e-3)
