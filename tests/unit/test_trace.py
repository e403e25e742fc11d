"""A trace: the read-only numbers of one forward pass, its tokens, and sums of the stream."""

from itertools import pairwise
from unittest.mock import Mock

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from model import InputError, Trace, load
from model.trace.residual_stream import additions
from model.trace.tracing import read_sentence, trace_pair
from model.transformer.heads import KINDS, attention_name
from tests.conftest import tiny_model
from tests.tolerance import assert_same

TEXT, TARGET = "The cat sleeps on the chair.", "L'été, il dort."
LAYERS = 2


@pytest.fixture(scope="module")
def given(t):
    return t.trace(TEXT, target=TARGET)


@pytest.fixture(scope="module", params=["generated", "given"])
def trace(request, t, given):
    trace = given if request.param == "given" else t.trace(TEXT)
    assert trace.target_origin == request.param
    return trace


def test_maps_are_the_recorded_weights_and_every_label_has_a_row_or_column(trace):
    for kind in KINDS:
        names = (f"{attention_name(kind, layer)}.weights" for layer in range(LAYERS))
        maps = getattr(trace, kind)
        assert np.array_equal(maps, [trace.records[name] for name in names])
        assert maps.dtype == np.float32
    assert trace.log_probs.shape == (len(trace.tgt_tokens),) == (len(trace.next_tokens),)


def test_rows_are_queries_and_columns_are_keys(given):
    for kind, queries, keys in (
        ("encoder_self", given.src_tokens, given.src_tokens),
        ("decoder_self", given.tgt_tokens, given.tgt_tokens),
        ("cross", given.tgt_tokens, given.src_tokens),
    ):
        read, written = (given.attention(kind, rows=rows) for rows in ("read", "written"))
        assert (read.query_tokens, read.key_tokens) == (queries, keys)
        expected = queries if kind == "encoder_self" else given.next_tokens
        assert (written.query_tokens, written.key_tokens) == (expected, keys)
        assert np.array_equal(written.weights, read.weights)
    with pytest.raises(ValueError, match="'decoder'"):
        given.attention("decoder")
    with pytest.raises(ValueError, match="'both'"):
        given.attention("cross", rows="both")


def test_a_trace_is_read_only(trace):
    arrays = [*trace.records.values(), trace.encoder_self, trace.decoder_self, trace.cross]
    assert not any(array.flags.writeable for array in [*arrays, trace.log_probs])
    with pytest.raises(TypeError):
        trace.records["logits"] = trace.log_probs
    with pytest.raises(AttributeError):
        trace.source_text = ""


def test_source_and_given_target_are_read_as_typed(given, t):
    assert given.source_text == TEXT
    assert (given.src_tokens[0], given.src_tokens[-1]) == ("<bos>", "<eos>")
    assert "".join(TEXT[token.start : token.end] for token in given.src) == TEXT
    subwords = tuple(token.text for token in t.tokenizer.encode(TARGET))
    assert (given.tgt_tokens, given.next_tokens) == (subwords[:-1], subwords[1:])
    assert given.target_text == TARGET
    assert not given.truncated


@pytest.mark.parametrize("beam", [1, 3])
def test_a_generated_target_is_the_models_translation(t, beam):
    trace = t.trace(TEXT, beam=beam)
    (hypothesis,) = t.translate([TEXT], beam=beam)
    assert trace.next_tokens == tuple(t.tokenizer.subword(id) for id in hypothesis.ids)
    assert trace.tgt_tokens == ("<bos>", *trace.next_tokens[:-1])
    assert trace.target_text == t.decode(hypothesis)
    assert trace.truncated is not hypothesis.finished
    assert trace.beam == beam
    assert_same(trace.log_probs, hypothesis.log_probs)


@pytest.mark.parametrize("beam", [1, 3])
def test_token_ids_of_a_translation_that_reached_the_limit_can_be_read_again(t, beam):
    text = " ".join([TEXT] * 3)
    written = t.trace(text, beam=beam)
    assert written.truncated
    assert len(written.tgt_ids) == t.config.max_length + 1
    # the tokenizer would split their text into other subwords
    read = t.trace(text, target=written.tgt_ids)
    assert (read.tgt_ids, read.target_text) == (written.tgt_ids, written.target_text)
    assert read.target_origin == "given"
    assert_same(read.log_probs, written.log_probs)


def test_given_tokens_are_not_tokenized_again(t, monkeypatch):
    expected = t.trace(TEXT)
    tokens = read_sentence(t.model, t.tokenizer, TEXT)
    monkeypatch.setattr(t.tokenizer, "encode", Mock(side_effect=AssertionError))
    trace = t.trace(TEXT, tokens=tokens)
    assert (trace.src, trace.tgt_ids) == (expected.src, expected.tgt_ids)
    assert np.array_equal(trace.log_probs, expected.log_probs)


@pytest.mark.parametrize(
    ("text", "reason"), [("", "empty"), ("\n\t\u00a0\u2009", "empty"), ("1" * 99, "too_long")]
)
def test_a_text_that_is_empty_or_too_long_is_refused(t, text, reason):
    """test_decoding_batch.py tests the lengths that are just too long."""
    for arguments in ({"text": text}, {"text": TEXT, "target": text}):
        with pytest.raises(InputError) as caught:
            t.trace(**arguments)
        assert caught.value.reason == reason


def test_a_text_that_cannot_fit_is_refused_before_it_is_tokenized(t, monkeypatch):
    huge = "a" * 10**6
    watched = Mock(wraps=t.tokenizer.bpe)
    monkeypatch.setattr(t.tokenizer, "bpe", watched)
    for read, given in (
        (t.trace, {"text": huge}),
        (t.trace, {"text": TEXT, "target": huge}),
        (t.translate, {"texts": [TEXT, huge]}),
    ):
        with pytest.raises(ValueError, match="1,000,000"):
            read(**given)
    assert "aaaa" not in str(watched.mock_calls)


def test_a_model_in_train_mode_is_refused(tiny_checkpoint):
    own = load(tiny_checkpoint)
    own.model.train()
    with pytest.raises(ValueError, match=r"model\.eval\(\)"):
        trace_pair(Trace, own.model, own.tokenizer, TEXT)


@pytest.fixture(scope="module", params=["pre", "post"])
def stream(request, tokenizer):
    model = tiny_model(tokenizer, norm=request.param)
    return request.param, trace_pair(Trace, model, tokenizer, "I see a cat.", target="Je vois.")


@pytest.mark.parametrize(("stack", "sublayers"), [("encoder", 2), ("decoder", 3)])
def test_the_stream_before_and_the_added_output_give_the_stream_after(stream, stack, sublayers):
    norm, trace = stream
    steps = additions(trace, stack)
    assert [step.layer for step in steps] == [0] * sublayers + [1] * sublayers
    for step, following in pairwise(steps):
        assert np.array_equal(step.after, following.before)
    for step in steps:
        total = torch.tensor(step.before + step.added)
        assert_same(step.after, total if norm == "pre" else F.layer_norm(total, (66,)))
        assert (step.remainder < 1e-5) == (norm == "pre")
        b, a = step.before.astype(np.float64), step.added.astype(np.float64)
        length_b, length_a = np.linalg.norm(b, axis=-1), np.linalg.norm(a, axis=-1)
        np.testing.assert_allclose(step.share, length_a / length_b, rtol=1e-5)
        np.testing.assert_allclose(step.cosine, (a * b).sum(-1) / length_a / length_b, atol=1e-5)
    assert steps[1].sublayer == ("ffn" if stack == "encoder" else "cross")
