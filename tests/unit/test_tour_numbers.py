"""Numbers of the tour, and a translation as it is written."""

import numpy as np
import pytest
import torch

from model.heads.analysis_file import PruningPoint, heads_to_spare
from model.maps.measures import clearest_row, is_special_or_punctuation
from model.trace.next_tokens import decoding_steps, top_alternatives
from tests.tolerance import assert_same

TOKENS = ("<bos>", "a", "·b", ".", "c", "d", "e", "<eos>")


@pytest.mark.parametrize("seed", range(20))
def test_no_other_row_of_a_word_looks_more_at_a_word(seed):
    weights = np.random.default_rng(seed).dirichlet(np.full(len(TOKENS), 0.4), len(TOKENS))
    row, column = clearest_row(weights, TOKENS, TOKENS)
    words = [n for n, token in enumerate(TOKENS) if not is_special_or_punctuation(token)]
    best = weights.argmax(axis=1)
    found = [(weights[i].max(), i, best[i]) for i in words if best[i] in words]
    assert (row, column) == max(found)[1:]


def test_where_no_word_looks_at_a_word_any_row_will_do():
    weights = np.array([[0.9, 0.1], [0.8, 0.2]])
    assert clearest_row(weights, ["a", "b"], [".", "a"]) == (0, 0)


def _curve(*bleu: float):
    return [PruningPoint(3 * n, value) for n, value in enumerate(bleu)]


def test_heads_are_spared_as_long_as_nearly_all_of_the_score_is_kept():
    just = 0.95 * 40
    assert heads_to_spare(curve := _curve(40, 39, just, just - 0.01, 2)) == (curve[0], curve[2])
    for bleu in ((40, 30, 20), (40,), (0, 0, 0)):
        assert heads_to_spare(_curve(*bleu)) is None


TEXT = "The cats sleeps on the chairlift."


@pytest.fixture(scope="module")
def trace(t):
    return t.trace(TEXT, target="L'été, il dormirait.")


def test_a_head_that_aligns_by_what_it_reads_gives_the_row_that_has_read_the_token(t, trace):
    seen = decoding_steps(trace, t.tokenizer, reading_head=(1, 2))
    assert seen.rows == "read"
    read = trace.attention("cross", rows="read")
    assert trace.next_tokens[:-1] == read.query_tokens[1:]
    np.testing.assert_array_equal(seen.weights, read.weights[1, 2, 1:])  # none has read the last


def test_without_a_measured_head_it_is_the_mean_in_the_rows_that_write(t, trace):
    seen = decoding_steps(trace, t.tokenizer, reading_head=None)
    assert seen.rows == "written"
    assert_same(seen.weights, trace.records["decoder.1.cross.weights"].mean(axis=0))
    assert len(seen.weights) == len(trace.next_tokens)
    assert seen.weights.dtype == np.float32
    assert not seen.weights.flags.writeable


def test_what_is_joined_is_one_word(t, trace):
    seen = decoding_steps(trace, t.tokenizer, reading_head=None)
    assert len(seen.target_joined) == len(trace.next_tokens)
    words: list[str] = []
    for token, joined in zip(trace.src_tokens, seen.source_joined, strict=True):
        words = [*words[:-1], words[-1] + token] if joined else [*words, token]
    spelt = [" The", " cats", " sleeps", " on", " the", " chairlift", "."]
    assert words == ["<bos>", *spelt, "<eos>"]
    assert len(trace.src) > len(words)  # some were cut


@pytest.mark.parametrize("k", [1, None, 1000])
@pytest.mark.parametrize("target", ["L'été, il dormirait.", None])  # None: each is the best one
def test_rivals_are_the_written_token_and_the_most_probable_others(t, target, k):
    trace = t.trace(TEXT, target=target)
    found = top_alternatives(trace, t.tokenizer, **({} if k is None else {"k": k}))
    p = torch.tensor(trace.records["logits"], dtype=torch.float64).softmax(dim=-1)
    for each, row, written in zip(found, p, trace.tgt_ids[1:], strict=True):
        others = [id for id in row.argsort(descending=True).tolist() if id != written][: k or 3]
        expected = sorted([written, *others], key=lambda id: -row[id])
        assert [c.subword for c in each] == [t.tokenizer.subword(id) for id in expected]
        assert [c.probability for c in each] == pytest.approx(row[expected].tolist(), rel=1e-4)
        assert [c.chosen for c in each] == [id == written for id in expected]
    if k == 1000:
        assert sum(c.probability for c in found[0]) == pytest.approx(1, abs=1e-4)
