"""A translation as it is written: which row is a token's, and what else could have stood there."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from model import Trace, TranslationModel, load
from model.maps.writing import writing
from model.trace.next_tokens import rivals

TEXT = "The cats sleeps on the chairlift."


@pytest.fixture(scope="module")
def t(tiny_checkpoint) -> TranslationModel:
    return load(tiny_checkpoint)


@pytest.fixture(scope="module", params=["", "L'été, il dormirait."])
def trace(t: TranslationModel, request: pytest.FixtureRequest) -> Trace:
    return t.trace(TEXT, target=request.param or None)


def test_a_head_that_aligns_by_what_it_reads_gives_the_row_that_has_read_the_token(t, trace):
    seen = writing(trace, t.tokenizer, reading_head=(1, 2))
    assert seen.rows == "read"
    read = trace.attention("cross", rows="read")
    by_token = list(zip(read.query_tokens, read.weights[1, 2], strict=True))
    for written, row, (token, expected) in zip(
        trace.next_tokens, seen.weights, by_token[1:], strict=False
    ):
        assert written == token
        np.testing.assert_array_equal(row, expected)
    assert len(seen.weights) == len(trace.next_tokens) - 1  # nothing has read the last one


def test_without_a_measured_head_it_is_the_mean_in_the_rows_that_write(t, trace):
    seen = writing(trace, t.tokenizer, reading_head=None)
    assert seen.rows == "written"
    expected = torch.tensor(trace.records["decoder.1.cross.weights"]).mean(dim=0)
    torch.testing.assert_close(torch.tensor(seen.weights), expected)
    assert len(seen.weights) == len(trace.next_tokens)


@pytest.mark.parametrize("head", [None, (0, 1)])
def test_rows_sum_to_one_and_cannot_be_written_on(t, trace, head):
    weights = writing(trace, t.tokenizer, reading_head=head).weights
    np.testing.assert_allclose(weights.sum(axis=-1), 1, atol=1e-6)
    assert weights.dtype == np.float32
    assert not weights.flags.writeable


def test_what_is_joined_is_one_word(t, trace):
    """Tokens in a row that are joined spell the words of the text, and nothing but them."""
    seen = writing(trace, t.tokenizer, reading_head=None)
    assert len(seen.source_joined) == len(trace.src)
    assert len(seen.target_joined) == len(trace.next_tokens)
    words: list[str] = []
    for token, joined in zip(trace.src_tokens, seen.source_joined, strict=True):
        words = [*words[:-1], words[-1] + token] if joined else [*words, token]
    spelt = [" The", " cats", " sleeps", " on", " the", " chairlift", "."]
    assert words == ["<bos>", *spelt, "<eos>"]
    assert len(trace.src) > len(words)  # some were cut


@pytest.mark.parametrize("k", [1, 3, 1000])
def test_rivals_are_the_written_token_and_the_most_probable_others(t, trace, k):
    found = rivals(trace, t.tokenizer, k=k)
    assert len(found) == len(trace.next_tokens)
    p = torch.tensor(trace.records["logits"], dtype=torch.float64).softmax(dim=-1)
    for each, row, written in zip(found, p, trace.tgt_ids[1:], strict=True):
        others = [id for id in row.argsort(descending=True).tolist() if id != written][:k]
        expected = sorted([written, *others], key=lambda id: -row[id])
        assert [c.subword for c in each] == [t.tokenizer.subword(id) for id in expected]
        assert [c.probability for c in each] == pytest.approx(row[expected].tolist(), rel=1e-4)
        assert [c.chosen for c in each] == [id == written for id in expected]
    if k >= len(p[0]):
        assert sum(c.probability for c in found[0]) == pytest.approx(1, abs=1e-4)
