"""BPE dropout: random segmentations give the same text, and depend on the seed only."""

import json

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from model.tokenizers.bpe_dropout import BpeDropout
from tests.unit.conftest import is_about

SEED = (3, 5)


@settings(deadline=None, max_examples=50)
@given(text=st.text(max_size=40))
def test_without_dropout_any_text_gets_the_tokenizers_own_ids(tokenizer, text):
    sampled = BpeDropout(tokenizer, [text], 0.0, 1).sample([text], SEED)
    assert sampled == tokenizer.encode_ids([text])


def test_without_dropout_words_are_merged_in_the_order_of_the_tokenizer(tokenizer, pairs):
    texts = [source for source, _ in pairs]
    assert BpeDropout(tokenizer, texts, 0.0, 1).sample(texts, SEED) == tokenizer.encode_ids(texts)


def test_without_any_merge_a_text_is_split_into_characters(tokenizer):
    """A character that a merge makes, such as é, is whole; 中, which no merge makes, is bytes."""
    text = "Lété, 中😀."
    [ids] = BpeDropout(tokenizer, [text], 1.0, 1).sample([text], SEED)
    subwords = [tokenizer.subword(id) for id in ids[1:-1]]
    assert subwords[:6] == [" ", "L", "é", "t", "é", ","]
    assert len(subwords) == 6 + len(" 中😀.".encode())


def test_subwords_after_dropout_give_the_same_text_and_depend_on_the_seed(tokenizer, pairs):
    texts = [
        text for pair in pairs for text in pair
    ]  # the first ten texts were not prepared in advance
    dropout = BpeDropout(tokenizer, texts[10:], 0.5, 1)
    sampled = dropout.sample(texts, SEED)
    assert [tokenizer.decode(ids) for ids in sampled] == texts
    assert all(ids[0] == tokenizer.bos_id and ids[-1] == tokenizer.eos_id for ids in sampled)
    assert sum(map(len, sampled)) > sum(map(len, tokenizer.encode_ids(texts)))
    assert sampled == dropout.sample(texts, SEED)
    assert sampled == BpeDropout(tokenizer, texts[10:], 0.5, 1).sample(texts, SEED)
    assert sampled != BpeDropout(tokenizer, texts[10:], 0.5, 2).sample(texts, SEED)
    other = dropout.sample(texts, (3, 6))
    assert sampled[:10] != other[:10]
    assert sampled[10:] != other[10:]


def test_a_merge_is_skipped_with_probability_p(tokenizer):
    left, right = json.loads(tokenizer.bpe.to_str())["model"]["merges"][0]
    assert len(left) == len(right) == 1  # the first merge joins two bytes
    dropout = BpeDropout(tokenizer, [], 0.3, 1)
    random = np.random.default_rng(0)
    merged = sum(len(dropout.segment(left + right, random)) == 1 for _ in range(2000))
    assert is_about(merged, 2000, 0.7)


def test_each_occurrence_of_a_word_is_segmented_independently(tokenizer):
    text = "the " * 200
    [ids] = BpeDropout(tokenizer, [text], 0.5, 1).sample([text], SEED)
    [whole_ids] = tokenizer.encode_ids(["the"])
    subwords = " ".join(map(tokenizer.bpe.id_to_token, ids[1:-1]))
    whole = " ".join(map(tokenizer.bpe.id_to_token, whole_ids[1:-1]))
    assert 0 < subwords.count(whole) < 200
