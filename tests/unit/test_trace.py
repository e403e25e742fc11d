"""A trace: the numbers of one forward pass, frozen, with the tokens they belong to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from model import InputError, Trace, TranslationModel, load
from model.data.batches import make_batch
from model.trace.base import trace_pair
from model.trace.transformer import KINDS
from model.transformer.masks import padding_mask
from model.transformer.shapes import recorded_names

TEXT, TARGET = "The cat sleeps on the chair.", "L'été, il dort."
LAYERS, HEADS = 2, 3


@pytest.fixture(scope="module")
def t(tiny_checkpoint: Path) -> TranslationModel:
    return load(tiny_checkpoint)


@pytest.fixture(scope="module")
def generated(t: TranslationModel) -> Trace:
    return t.trace(TEXT)


@pytest.fixture(scope="module")
def given(t: TranslationModel) -> Trace:
    return t.trace(TEXT, target=TARGET)


@pytest.fixture(params=["generated", "given"])
def trace(request: pytest.FixtureRequest) -> Trace:
    found: Trace = request.getfixturevalue(request.param)
    assert found.target_origin == request.param
    return found


def test_labels_fit_the_maps(trace: Trace) -> None:
    n_src, n_tgt = len(trace.src), len(trace.tgt_tokens)
    assert trace.encoder_self.shape == (LAYERS, HEADS, n_src, n_src)
    assert trace.decoder_self.shape == (LAYERS, HEADS, n_tgt, n_tgt)
    assert trace.cross.shape == (LAYERS, HEADS, n_tgt, n_src)
    assert trace.log_probs.shape == (n_tgt,)
    assert len(trace.next_tokens) == n_tgt
    for kind in KINDS:
        for rows in ("read", "written"):
            maps = trace.attention(kind, rows=rows)  # type: ignore[arg-type]
            assert maps.weights.shape[2:] == (len(maps.query_tokens), len(maps.key_tokens))


def test_labels_say_who_looks_at_whom(given: Trace) -> None:
    assert given.attention("encoder_self").query_tokens == given.src_tokens
    assert given.attention("encoder_self").key_tokens == given.src_tokens
    assert given.attention("decoder_self").query_tokens == given.tgt_tokens
    assert given.attention("decoder_self").key_tokens == given.tgt_tokens
    assert given.attention("cross").query_tokens == given.tgt_tokens
    assert given.attention("cross").key_tokens == given.src_tokens
    for kind in ("decoder_self", "cross"):
        written = given.attention(kind, rows="written")  # type: ignore[arg-type]
        assert written.query_tokens == given.next_tokens
        assert np.array_equal(written.weights, given.attention(kind).weights)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"no attention 'decoder'.*encoder_self"):
        given.attention("decoder")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="rows 'both'"):
        given.attention("cross", rows="both")  # type: ignore[arg-type]


def test_rows_sum_to_one(trace: Trace) -> None:
    for weights in (trace.encoder_self, trace.decoder_self, trace.cross):
        assert weights.dtype == np.float32
        np.testing.assert_allclose(weights.sum(axis=-1), 1, atol=1e-6)
        assert weights.min() >= 0


def test_no_position_looks_ahead(trace: Trace) -> None:
    n_tgt = len(trace.tgt_tokens)
    assert not trace.decoder_self[..., ~np.tri(n_tgt, dtype=bool)].any()


def test_maps_are_those_of_their_layer(trace: Trace) -> None:
    for layer in range(LAYERS):
        for maps, name in (
            (trace.encoder_self, f"encoder.{layer}.self.weights"),
            (trace.decoder_self, f"decoder.{layer}.self.weights"),
            (trace.cross, f"decoder.{layer}.cross.weights"),
        ):
            assert np.array_equal(maps[layer], trace.records[name])
    assert not np.array_equal(trace.cross[0], trace.cross[1])


def test_nothing_can_be_written_to(trace: Trace) -> None:
    arrays = [*trace.records.values(), trace.encoder_self, trace.decoder_self, trace.cross]
    for array in [*arrays, trace.log_probs]:
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
    with pytest.raises(TypeError):
        trace.records["logits"] = trace.log_probs  # type: ignore[index]
    with pytest.raises(AttributeError):
        trace.source_text = ""  # type: ignore[misc]


def test_records_are_the_table_of_shapes(trace: Trace, t: TranslationModel) -> None:
    sizes = {
        "S": len(trace.src),
        "T": len(trace.tgt_tokens),
        "H": HEADS,
        "V": t.config.vocab_size,
        "d_model": t.config.d_model,
        "d_head": t.config.d_head,
        "d_ff": t.config.d_ff,
    }
    assert len(set(sizes.values())) == len(sizes)  # a swapped axis would show
    assert {name: array.shape for name, array in trace.records.items()} == {
        name: tuple(sizes[dim] for dim in recorded.dims if dim != "B")
        for name, recorded in recorded_names(t.config).items()
    }


def test_source_tokens_point_into_the_typed_text(trace: Trace) -> None:
    assert trace.source_text == TEXT
    assert (trace.src_tokens[0], trace.src_tokens[-1]) == ("<bos>", "<eos>")
    assert "".join(TEXT[token.start : token.end] for token in trace.src) == TEXT


def test_given_target_is_read_as_typed(given: Trace, t: TranslationModel) -> None:
    subwords = tuple(token.text for token in t.tokenizer.encode(TARGET))
    assert given.tgt_tokens == subwords[:-1]
    assert given.next_tokens == subwords[1:]
    assert given.next_tokens[-1] == "<eos>"
    assert given.target_text == TARGET
    assert not given.truncated


@pytest.mark.parametrize("beam", [1, 3])
def test_generated_target_is_what_translate_says(t: TranslationModel, beam: int) -> None:
    trace = t.trace(TEXT, beam=beam)
    (hypothesis,) = t.translate([TEXT], beam=beam)
    assert trace.next_tokens == tuple(t.tokenizer.subword(id) for id in hypothesis.ids)
    assert trace.tgt_tokens == ("<bos>", *trace.next_tokens[:-1])
    assert trace.target_text == t.decode(hypothesis)
    assert trace.truncated is not hypothesis.finished
    assert trace.beam == beam
    np.testing.assert_allclose(trace.log_probs, hypothesis.log_probs, atol=1e-5)


@pytest.mark.parametrize("beam", [1, 3])
def test_what_the_model_wrote_up_to_its_limit_can_be_read_again(t, beam: int) -> None:
    long = " ".join([TEXT] * 3)
    wrote = t.trace(long, beam=beam)
    assert wrote.truncated
    assert len(wrote.tgt_ids) == t.config.max_length + 1
    read = t.trace(long, target=wrote.tgt_ids)  # as a text it is cut into other subwords
    assert (read.tgt_ids, read.target_text) == (wrote.tgt_ids, wrote.target_text)
    assert read.target_origin == "given"
    np.testing.assert_allclose(read.log_probs, wrote.log_probs, atol=1e-6)


def test_log_probabilities_are_of_the_tokens_written(given: Trace, t: TranslationModel) -> None:
    src, tgt = t.tokenizer.encode_ids([TEXT, TARGET])
    batch = make_batch([(src, tgt)], t.tokenizer.pad_id)
    with torch.inference_mode():
        logits = t.model(batch.src, batch.tgt, padding_mask(batch.src, t.tokenizer.pad_id))[0]
    expected = [logits[n].log_softmax(0)[id].item() for n, id in enumerate(tgt[1:])]
    np.testing.assert_allclose(given.log_probs, expected, rtol=1e-6)
    np.testing.assert_array_equal(given.records["logits"], logits.numpy())


@pytest.mark.parametrize("text", ["", " ", "\n\t\u00a0\u2009"])
def test_empty_text(t: TranslationModel, text: str) -> None:
    for arguments in ({"text": text}, {"text": TEXT, "target": text}):
        with pytest.raises(InputError, match="The sentence is empty") as caught:
            t.trace(**arguments)
        assert caught.value.reason == "empty"


def test_too_long_text(t: TranslationModel) -> None:
    limit = t.config.max_length
    longest = "1" * (limit - 3)  # BOS, the leading space's own subword or not, digits, EOS
    while len(t.tokenizer.encode(longest)) < limit:
        longest += "1"
    t.trace(longest)
    t.trace(TEXT, target=longest)
    for arguments in ({"text": longest + "1"}, {"text": TEXT, "target": longest + "1"}):
        with pytest.raises(InputError, match=f"has {limit + 1} tokens, and at most {limit} "):
            t.trace(**arguments)
    with pytest.raises(InputError) as caught:
        t.trace(longest + "1")
    error = caught.value
    assert (error.reason, error.n, error.limit) == ("too_long", limit + 1, limit)


@pytest.mark.parametrize("what", ["text", "target", "batch"])
def test_a_text_that_cannot_fit_is_refused_before_it_is_cut(
    t: TranslationModel, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    huge, cut = "a" * 10**6, []

    class Watched:
        """The library, and the lengths of what it was given."""

        def __getattr__(self, name: str) -> Any:
            return getattr(bpe, name)

        def encode(self, text: str) -> Any:
            cut.append(len(text))
            return bpe.encode(text)

        def encode_batch_fast(self, texts: list[str]) -> Any:
            cut.extend(map(len, texts))
            return bpe.encode_batch_fast(texts)

    bpe = t.tokenizer.bpe
    monkeypatch.setattr(t.tokenizer, "bpe", Watched())
    read = {
        "text": lambda: t.trace(huge),
        "target": lambda: t.trace(TEXT, target=huge),
        "batch": lambda: t.translate([TEXT, huge]),
    }[what]
    with pytest.raises(ValueError, match=r"1,000,000 characters, and at most [\d,]+ are taken"):
        read()
    assert all(n == len(TEXT) for n in cut)


def test_train_mode_is_refused(tiny_checkpoint: Path) -> None:
    own = load(tiny_checkpoint)
    own.model.train()
    with pytest.raises(ValueError, match=r"train mode: call model\.eval\(\)"):
        trace_pair(Trace, own.model, own.tokenizer, TEXT)


def test_the_same_sentence_gives_the_same_trace(t: TranslationModel, generated: Trace) -> None:
    again = t.trace(TEXT)
    assert again.next_tokens == generated.next_tokens
    for name, array in generated.records.items():
        np.testing.assert_array_equal(again.records[name], array)
