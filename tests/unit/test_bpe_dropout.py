"""Other subwords, the same text; drawn by the seed alone."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from model.data.bpe_dropout import BpeDropout
from model.data.corpus import Pair

SEED = (3, 5)


@pytest.fixture(scope="module")
def texts(pairs: list[Pair]) -> list[str]:
    return [text for pair in pairs for text in pair]


@settings(deadline=None, max_examples=50)
@given(text=st.text(max_size=40))
def test_without_dropout_for_any_text(tokenizer, text):
    found = BpeDropout(tokenizer, [text], 0.0, 1).sample([text], SEED)
    assert found == tokenizer.encode_ids([text])


def test_all_dropped_leaves_characters(tokenizer):
    """Those that some merge knows, such as é; of others, such as 中, the bytes."""
    text = "Lété, 中😀."
    (ids,) = BpeDropout(tokenizer, [text], 1.0, 1).sample([text], SEED)
    subwords = [tokenizer.subword(id) for id in ids[1:-1]]
    assert subwords[:6] == [" ", "L", "é", "t", "é", ","]
    assert len(subwords) == 6 + len(" 中😀.".encode())


def test_dropped_subwords_spell_the_same_text_and_the_seed_decides(tokenizer, texts):
    dropout = BpeDropout(tokenizer, texts, 0.5, 1)
    sampled = dropout.sample(texts, SEED)
    assert [tokenizer.decode(ids) for ids in sampled] == texts
    assert all(ids[0] == tokenizer.bos_id and ids[-1] == tokenizer.eos_id for ids in sampled)
    assert sum(map(len, sampled)) > sum(map(len, tokenizer.encode_ids(texts)))
    assert sampled == dropout.sample(texts, SEED)
    assert sampled == BpeDropout(tokenizer, texts, 0.5, 1).sample(texts, SEED)
    assert sampled != dropout.sample(texts, (3, 6))
    assert sampled != BpeDropout(tokenizer, texts, 0.5, 2).sample(texts, SEED)


def test_one_merge_is_missed_with_probability_p(tokenizer):
    left, right = json.loads(tokenizer.bpe.to_str())["model"]["merges"][0]
    assert len(left) == len(right) == 1  # the first merge is of two bytes
    dropout = BpeDropout(tokenizer, [], 0.3, 1)
    random = np.random.default_rng(0)
    n = 2000
    merged = sum(len(dropout.segment(left + right, 0.3, random)) == 1 for _ in range(n))
    assert abs(merged - 0.7 * n) < 5 * math.sqrt(n * 0.3 * 0.7)  # five standard deviations


def test_occurrences_of_a_word_are_drawn_one_by_one(tokenizer):
    text = "the " * 200
    (ids,) = BpeDropout(tokenizer, [text], 0.5, 1).sample([text], SEED)
    spelled = " ".join(tokenizer.bpe.id_to_token(id) for id in ids[1:-1])
    the = tokenizer.encode_ids(["the"])[0][1:-1]
    whole = " ".join(tokenizer.bpe.id_to_token(id) for id in the)
    assert 0 < spelled.count(whole) < 200


@pytest.mark.parametrize("p", [0.0, 0.5])
def test_texts_that_nobody_announced(tokenizer, p):
    known, new = ["The cat sleeps."], ["The cat of Ngozi sleeps.", ""]
    dropout = BpeDropout(tokenizer, known, p, 1)
    assert [tokenizer.decode(ids) for ids in dropout.sample(new + known, SEED)] == new + known
    assert dropout.sample(new, SEED) == dropout.sample(new, SEED)
    if p == 0:
        assert dropout.sample(new, SEED) == tokenizer.encode_ids(new)
    else:
        assert dropout.sample(new, SEED) != dropout.sample(new, (3, 6))
