"""A draft that the exact model has checked is the exact model's greedy translation."""

import pytest
import torch

from model import load
from model.decoding.batch import translate_batch
from model.decoding.draft import Drafter
from model.decoding.fused import FusedTransformer
from model.decoding.greedy import greedy
from model.trace.tracing import trace_pair
from model.trace.transformer import Trace
from model.transformer.masks import padding_mask
from tests.conftest import tiny_model
from tests.tolerance import assert_same


@pytest.fixture
def model(tokenizer):
    return tiny_model(tokenizer, seed=1, tie_embeddings=False)


@pytest.fixture
def wrong(model, tokenizer):
    """Return a drafter of another model, which the exact model refuses."""
    other = tiny_model(tokenizer, seed=2, tie_embeddings=False)
    return Drafter(model, FusedTransformer(other))


def _translate(drafter, tokenizer, text):
    """Return the checked draft of a text, and the greedy translation."""
    src = torch.tensor(tokenizer.encode_ids([text]))
    src_mask = padding_mask(src, tokenizer.pad_id)
    with torch.inference_mode():
        memory = drafter.model.encode(src, src_mask)
    draft = drafter.translate(src, memory, src_mask, tokenizer.special_ids)
    return draft, greedy(drafter.model, src, **tokenizer.special_ids)[0]


def test_a_checked_draft_is_the_greedy_translation(model, tokenizer, pairs):
    drafter = Drafter(model)
    taken = 0
    for text, _ in pairs[:10]:
        draft, expected = _translate(drafter, tokenizer, text)
        if draft is not None:
            taken += 1
            hypothesis = draft.hypothesis(tokenizer.eos_id)
            assert hypothesis.ids == expected.ids
            assert hypothesis.finished == expected.finished
            assert_same(hypothesis.log_probs, expected.log_probs, largest=10)
    assert taken >= 5


def test_the_draft_of_another_model_is_refused(wrong, tokenizer, pairs):
    draft, _ = _translate(wrong, tokenizer, pairs[0][0])
    assert draft is None


def test_a_trace_is_the_same_with_a_draft_and_with_a_refused_draft(model, wrong, tokenizer, pairs):
    text = pairs[0][0]
    expected = trace_pair(Trace, model, tokenizer, text)
    for drafter in (Drafter(model), wrong):
        trace = trace_pair(Trace, model, tokenizer, text, drafter=drafter)
        assert trace.tgt_ids == expected.tgt_ids
        assert trace.truncated == expected.truncated
        assert trace.records.keys() == expected.records.keys()
        assert_same(trace.log_probs, expected.log_probs, largest=10)
        assert_same(trace.cross, expected.cross)


def test_one_sentence_is_translated_the_same_with_a_draft(model, wrong, tokenizer, pairs):
    text = pairs[0][0]
    [expected] = translate_batch(model, tokenizer, [text])
    for drafter in (Drafter(model), wrong):
        [hypothesis] = translate_batch(model, tokenizer, [text], drafter=drafter)
        assert hypothesis.ids == expected.ids
        assert hypothesis.finished == expected.finished
        assert_same(hypothesis.log_probs, expected.log_probs, largest=10)


def test_a_loaded_model_writes_drafts_where_they_are_fast(tiny_checkpoint, monkeypatch):
    for capability, drafts in (("AVX2", True), ("AVX512", True), ("DEFAULT", False)):
        monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda c=capability: c)
        assert (load(tiny_checkpoint).drafter is not None) == drafts


def test_a_beam_takes_no_draft(model, wrong, tokenizer, pairs, monkeypatch):
    monkeypatch.setattr(wrong, "translate", None)  # a call would fail
    text = pairs[0][0]
    trace = trace_pair(Trace, model, tokenizer, text, beam=2, drafter=wrong)
    [hypothesis] = translate_batch(model, tokenizer, [text], beam=2, drafter=wrong)
    assert trace.tgt_ids[1:] == hypothesis.ids
