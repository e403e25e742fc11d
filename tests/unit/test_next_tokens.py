"""A translation token by token, with the most probable alternatives."""

import numpy as np
import pytest
import torch

from model.trace.next_tokens import decoding_steps, top_alternatives
from tests.tolerance import assert_same

TEXT = "The cats sleeps on the chairlift."


@pytest.fixture(scope="module")
def trace(t):
    return t.trace(TEXT, target="L'été, il dormirait.")


def test_a_head_that_aligns_by_the_token_read_uses_the_row_that_has_read_the_token(t, trace):
    seen = decoding_steps(trace, t.tokenizer, reading_head=(1, 2))
    assert seen.rows == "read"
    read = trace.attention("cross", rows="read")
    assert trace.next_tokens[:-1] == read.query_tokens[1:]
    # no row has read the last token
    np.testing.assert_array_equal(seen.weights, read.weights[1, 2, 1:])


def test_without_a_measured_head_the_mean_of_the_rows_that_write_is_used(t, trace):
    seen = decoding_steps(trace, t.tokenizer, reading_head=None)
    assert seen.rows == "written"
    assert_same(seen.weights, trace.records["decoder.1.cross.weights"].mean(axis=0))
    assert len(seen.weights) == len(trace.next_tokens)
    assert seen.weights.dtype == np.float32
    assert not seen.weights.flags.writeable


def test_joined_subwords_become_one_word(t, trace):
    seen = decoding_steps(trace, t.tokenizer, reading_head=None)
    assert len(seen.target_joined) == len(trace.next_tokens)
    words: list[str] = []
    for token, joined in zip(trace.src_tokens, seen.source_joined, strict=True):
        words = [*words[:-1], words[-1] + token] if joined else [*words, token]
    spelt = [" The", " cats", " sleeps", " on", " the", " chairlift", "."]
    assert words == ["<bos>", *spelt, "<eos>"]
    assert len(trace.src) > len(words)  # some words consist of several subwords


@pytest.mark.parametrize("k", [1, None, 1000])
# with None, each token is the most probable one
@pytest.mark.parametrize("target", ["L'été, il dormirait.", None])
def test_candidates_are_the_written_token_and_the_most_probable_others(t, target, k):
    trace = t.trace(TEXT, target=target)
    alternatives = top_alternatives(trace, t.tokenizer, **({} if k is None else {"k": k}))
    p = torch.tensor(trace.records["logits"], dtype=torch.float64).softmax(dim=-1)
    for each, row, written in zip(alternatives, p, trace.tgt_ids[1:], strict=True):
        others = [id for id in row.argsort(descending=True).tolist() if id != written][: k or 3]
        expected = sorted([written, *others], key=lambda id: -row[id])
        assert [c.subword for c in each] == [t.tokenizer.subword(id) for id in expected]
        assert [c.probability for c in each] == pytest.approx(row[expected].tolist(), rel=1e-4)
        assert [c.chosen for c in each] == [id == written for id in expected]
    if k == 1000:
        assert sum(c.probability for c in alternatives[0]) == pytest.approx(1, abs=1e-4)
