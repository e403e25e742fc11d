"""What lesson 7 says about the architecture, measured."""

from __future__ import annotations

import numpy as np
import torch

from model.lessons.scaling.score_functions import draw_score_functions
from ui.text.examples import DEFAULT_SENTENCE


def test_the_equation_is_what_the_model_runs(t):
    """softmax(decoder(y, encoder(x)) W_Uᵀ), and greedy decoding takes its largest."""
    trace = t.trace(DEFAULT_SENTENCE)
    decoded = torch.tensor(trace.records["decoder.decoded"])
    with torch.no_grad():
        p = (decoded @ t.model.unembed.weight.T).softmax(dim=-1)  # (T, V)
    written = torch.tensor(trace.tgt_ids[1:])
    np.testing.assert_allclose(p[range(len(p)), written].log(), trace.log_probs, atol=1e-10)
    assert torch.equal(p.argmax(dim=-1), written)
    # The source is read once: whatever the target, the memory is the same.
    other = t.trace(DEFAULT_SENTENCE, target="Bonjour.").records["encoder.memory"]
    np.testing.assert_allclose(other, trace.records["encoder.memory"], rtol=0, atol=1e-10)


def test_in_the_decoder_a_position_sees_only_what_came_before_in_the_encoder_everything(t):
    one, other = (t.trace(text, target="Je") for text in ("I see a cat.", "I see a dog."))
    apart = one.records["encoder.memory"][1] - other.records["encoder.memory"][1]
    assert np.abs(apart).max() > 0.01  # "I" knows how it ends
    cat, dog = (
        t.trace("I see a cat.", target=f"Je vois un {text}.").records["logits"]
        for text in ("chat", "chien")
    )
    np.testing.assert_allclose(cat[:3], dog[:3], rtol=0, atol=1e-10)  # <bos>, Je, vois


def test_an_additive_score_costs_d_k_values_of_tanh_for_every_pair(monkeypatch):
    """And the others none; with that it takes longer."""
    counted = []
    tanh = torch.Tensor.tanh
    monkeypatch.setattr(torch.Tensor, "tanh", lambda x: counted.append(x.numel()) or tanh(x))
    q, k = torch.randn(2, 24, 16, generator=torch.Generator().manual_seed(0))
    for name, score in draw_score_functions(0, d_k=16, n_positions=24).items():
        counted.clear()
        score(q, k)
        assert sum(counted) == (24 * 24 * 16 if name == "additive" else 0)
