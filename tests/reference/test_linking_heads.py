"""Heads that link two words, against a forward pass in which one weight is cut by hand."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

import model.transformer.attention as attention
from model.interventions.linking_heads import (
    Word,
    least_certain_link,
    link_between,
    links_of_heads,
    ranked,
    words_of,
)
from model.transformer.masks import no_mask

SENTENCE, TARGET = "The black cat sees a dog.", "Le chat noir dort."


@pytest.fixture(scope="module")
def trace(t):
    return t.trace(SENTENCE, target=TARGET)


def _links(trace):
    """Return a link between two words for each kind of attention."""
    source, other = Word("source", range(1, 3)), Word("source", range(4, 5))
    target, later = Word("target", range(1, 2)), Word("target", range(3, 5))
    return {
        "cross": link_between(trace, source, later),
        "encoder_self": link_between(trace, source, other),
        "decoder_self": link_between(trace, later, target),
    }


def test_the_least_certain_link_is_that_of_the_least_probable_word(trace):
    weights = np.zeros(trace.cross.shape[-2:])
    weights[:, 2] = 1  # every token comes from the same source word
    words = [n for n, token in enumerate(trace.next_tokens) if token.strip().isalpha()]
    least_probable = min(words, key=lambda n: trace.log_probs[n])
    assert least_certain_link(weights, trace) == (least_probable, 2)
    certain = replace(trace, log_probs=np.full_like(trace.log_probs, np.log(0.9)))
    certain.log_probs[words[-1]] = np.log(0.85)
    assert least_certain_link(weights, certain) == (words[0], 2)


def test_a_link_has_the_cells_between_two_words(trace):
    links = _links(trace)
    assert (links["cross"].rows, links["cross"].columns) == (range(3, 5), range(1, 3))
    assert (links["encoder_self"].rows, links["encoder_self"].columns) == (
        range(1, 3),
        range(4, 5),
    )
    # the row of the later word; a token is read one position after it was written
    assert (links["decoder_self"].rows, links["decoder_self"].columns) == (
        range(3, 5),
        range(2, 3),
    )
    assert [*links["encoder_self"].steps] == [*range(len(trace.next_tokens))]
    word = Word("source", range(1, 2))
    with pytest.raises(ValueError, match="given twice"):
        link_between(trace, word, word)


def test_words_consist_of_all_their_subwords(t, trace):
    words = words_of(t.tokenizer, trace)
    for side, tokens in (("source", trace.src_tokens), ("target", trace.next_tokens)):
        positions = [n for word in words if word.side == side for n in word.positions]
        assert positions == [*range(len(tokens))]


@torch.inference_mode()
def _log_prob_with_scores_cut(t, trace, link, layer, head, monkeypatch) -> float:
    """Set scores of a head to -inf within the attention function, before the softmax."""
    plain = attention.scaled_dot_product_attention
    calls = []
    # position of the call: first all layers of the encoder, then self and cross of each decoder
    # layer
    n_layers = t.config.n_layers
    number = {
        "encoder_self": layer,
        "decoder_self": n_layers + 2 * layer,
        "cross": n_layers + 2 * layer + 1,
    }[link.kind]

    def cut(q, k, v, mask, *, hooks):
        calls.append(1)
        if len(calls) - 1 != number:
            return plain(q, k, v, mask, hooks=hooks)
        visible = mask.expand(1, q.shape[1], q.shape[2], k.shape[2]).clone()
        for row in link.rows:
            for column in link.columns:
                visible[0, head, row, column] = False
        scores = (q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])).masked_fill(~visible, -math.inf)
        return scores.softmax(dim=-1) @ v

    monkeypatch.setattr(attention, "scaled_dot_product_attention", cut)
    src = torch.tensor([[token.id for token in trace.src]])
    logits = t.model(src, torch.tensor([trace.tgt_ids[:-1]]), no_mask(1, src.shape[1]))
    monkeypatch.undo()
    assert len(calls) == 3 * n_layers
    log_probs = logits[0].log_softmax(dim=-1)
    return sum(float(log_probs[step, trace.tgt_ids[step + 1]]) for step in link.steps)


@pytest.mark.parametrize("kind", ["encoder_self", "decoder_self", "cross"])
def test_cutting_a_link_equals_hiding_its_cells_before_the_softmax(t, trace, kind, monkeypatch):
    link = _links(trace)[kind]
    before = sum(float(trace.log_probs[step]) for step in link.steps)
    layers = [*links_of_heads(t.model, trace, link)]
    assert [each.head for each in layers[1]] == [(kind, 1, head) for head in range(len(layers[1]))]
    for layer, head in ((0, 0), (0, 2), (1, 1)):
        after = _log_prob_with_scores_cut(t, trace, link, layer, head, monkeypatch)
        assert layers[layer][head].effect == pytest.approx(before - after, abs=1e-4)
    assert any(abs(each.effect) > 1e-3 for each in layers[0])


def test_attention_is_the_mean_of_rows_and_the_sum_of_columns(t, trace):
    link = _links(trace)["cross"]
    layers = [*links_of_heads(t.model, trace, link)]
    weights = trace.cross[1, 2]
    expected = (weights[3, 1] + weights[3, 2] + weights[4, 1] + weights[4, 2]) / 2
    assert layers[1][2].attention == pytest.approx(expected, rel=1e-5)
    links = [each for layer in layers for each in layer]
    assert all(0 <= each.contribution <= 1 for each in links)
    for measure in ("attention", "contribution", "effect"):
        numbers = [getattr(each, measure) for each in ranked(links, measure)]
        assert numbers == sorted(numbers, reverse=True)
        assert np.isfinite(numbers).all()
