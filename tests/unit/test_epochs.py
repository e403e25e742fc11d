"""What an epoch shows: each source once, with one of its translations, some of it rewritten."""

import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from model.augmentation.augmentation import Augmentation, Shares
from model.augmentation.careless_typing import (
    as_title,
    type_carelessly,
    with_stress,
    without_final_sign,
)
from model.augmentation.names.language_pair import LanguagePair
from model.corpora.pairs import Pair
from model.tokenizers.bpe_dropout import BpeDropout
from model.training.epochs import Examples
from tests.unit.test_copying import near

AS_IT_IS = Augmentation(Shares(), LanguagePair(), max_length=99, token_budget=999)
CORPUS = [("Tom saw 365 cats.", "Tom a vu 365 chats.")] * 1000
SEED = (3, 5)
Ids = list[tuple[list[int], list[int]]]


def as_text(tokenizer, sampled: Ids) -> list[Pair]:
    return [(tokenizer.decode(source), tokenizer.decode(target)) for source, target in sampled]


def test_each_source_once_with_a_translation_of_its_own_cut_in_other_subwords(tokenizer, pairs):
    sampled = Examples(pairs, tokenizer, 0.5, 1, AS_IT_IS).sample((1, 0))
    found = as_text(tokenizer, sampled)
    assert [source for source, _ in found] == list(dict(pairs))
    assert set(found) <= set(pairs)
    own = [tuple(tokenizer.encode_ids(pair)) for pair in found]
    assert all(target == ids for (_, target), (_, ids) in zip(sampled, own, strict=True))
    assert any(source != ids for (source, _), (ids, _) in zip(sampled, own, strict=True))


def test_every_translation_gets_its_turn(tokenizer, pairs):
    """20 passes miss one of two translations of a sentence with probability 2 / 2^20."""
    examples = Examples(pairs, tokenizer, 0.0, 1, AS_IT_IS)
    seen = {pair for n in range(20) for pair in as_text(tokenizer, examples.sample((1, n)))}
    assert seen == set(pairs)


def test_with_everything_on_the_seed_decides(tokenizer, pairs, french):
    shares = Shares(copying=1.0, made_sentences=0.5, agreement=0.5, as_typed=0.5, joined=0.5)
    changes = Augmentation(shares, french, max_length=99, token_budget=999)
    one, other = (Examples(pairs, tokenizer, 0.5, 1, changes) for _ in range(2))
    one.sample((1, 0))  # what was drawn before must not matter: a resumed run has not drawn it
    assert one.sample((1, 1)) == other.sample((1, 1)) != one.sample((1, 2))


def test_rewritten_targets_get_the_tokenizers_own_ids(tokenizer, pairs, french):
    shares = Shares(copying=1.0, made_sentences=2.0)
    changes = Augmentation(shares, french, max_length=99, token_budget=999)
    sampled = Examples(pairs, tokenizer, 0.5, 1, changes).sample((1, 0))
    known = {target for _, target in pairs}
    new = [ids for _, ids in sampled if tokenizer.decode(ids) not in known]
    assert len(new) > len(pairs)
    assert all(tokenizer.encode_ids([tokenizer.decode(ids)]) == [ids] for ids in new)


def rewritten(shares: Shares, languages: LanguagePair) -> list[Pair]:
    changes = Augmentation(shares, languages, max_length=99, token_budget=999)
    return changes.rewrite(CORPUS, np.random.default_rng(1))


def test_as_many_as_asked(french):
    assert rewritten(Shares(), french) == CORPUS
    made = Shares(made_sentences=0.3, agreement=0.2)
    assert rewritten(made, LanguagePair()) == CORPUS  # it has no templates
    assert rewritten(made, french)[:1000] == CORPUS
    assert len(rewritten(made, french)) == 1500
    for shares in (Shares(copying=0.3), Shares(as_typed=0.3)):
        found = rewritten(shares, french)
        assert near(sum(pair not in CORPUS for pair in found), 1000, 0.3)
    assert {target for _, target in found} == {CORPUS[0][1]}


def test_a_name_in_small_letters_is_written_with_a_capital(french):
    found = rewritten(Shares(copying=1.0, as_typed=1.0), french)
    small = [(source, target) for source, target in found if source.islower()]
    assert len(small) > 500
    for source, target in small:
        name = target.split(" a vu ")[0]
        assert name != name.lower()
        assert source.startswith(name.lower() + " saw ")


def test_small_letters_no_final_sign_or_both_come_equally_often():
    random = np.random.default_rng(1)
    ways = Counter(type_carelessly("Is Tom here?", random) for _ in range(3000))
    few = {"Is Tom Here", "Is Tom HERE?"}
    assert set(ways) == {"is tom here?", "Is Tom here", "is tom here"} | few
    assert all(near(n, 3000, 0.06 if way in few else 0.88 / 3) for way, n in ways.items())


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("the end of a war in Asia!", "The End of a War in Asia"),
        ("I don't know NASA.", "I Don't Know NASA"),
        ("it's élan", "It's Élan"),
        ("write to anna@school.edu", "Write to anna@school.edu"),
        ("at 5 pm on 60 km/h", "At 5 pm on 60 km/h"),
        ("", ""),
    ],
)
def test_a_title_has_capitals_but_for_short_words(text, title):
    assert as_title(text) == title


def test_one_word_is_stressed():
    random = np.random.default_rng(1)
    found = {with_stress("I am not Tom's friend.", random) for _ in range(99)}
    assert found == {"I AM not Tom's friend.", "I am NOT Tom's friend.", "I am not Tom's FRIEND."}
    assert with_stress("Tom?", random) == "Tom?"


def test_the_final_sign():
    """The corpus has no space at an end, and of "?" nothing would be left."""
    for text, sign in (("Wait", "..."), ("Really", "?!"), ("He said: Stop", "!"), ("1. 2", ".")):
        assert without_final_sign(text + sign) == text
    for kept in ("Stop ! ", "?", "Hello"):
        assert without_final_sign(kept) == kept


EXAMPLES = [([1, i, i, 2], [1, -i, 2]) for i in range(10, 2010)]


def join(share: float, *, max_length: int = 99, token_budget: int = 999) -> Ids:
    """Of the examples i: BOS (1), its number twice, once in the target (negative), EOS (2)."""
    limits = {"max_length": max_length, "token_budget": token_budget}
    changes = Augmentation(Shares(joined=share), LanguagePair(), **limits)
    return changes.join(EXAMPLES, np.random.default_rng(1))


def test_nothing_is_lost_sides_stay_together_and_two_to_four_come_equally_often():
    found = join(0.3)
    assert sorted(-i for _, target in found for i in target[1:-1]) == list(range(10, 2010))
    for source, target in found:
        assert source[:1] + source[-1:] == target[:1] + target[-1:] == [1, 2]
        assert source[1:-1] == [-i for i in target[1:-1] for _ in range(2)]
    sizes = Counter(len(target) - 2 for _, target in found)
    assert set(sizes) == {1, 2, 3, 4}
    assert near(len(found) - sizes[1], len(found), 0.3)  # the share is of the new examples
    assert all(near(sizes[k], len(found), 0.1) for k in (2, 3, 4))
    assert all(len(target) == 3 for _, target in join(0.0))


@pytest.mark.parametrize(
    ("max_length", "token_budget", "most"),
    [(6, 999, 2), (7, 999, 2), (99, 12, 2), (99, 13, 3), (4, 999, 1)],
)
def test_limits_of_the_model_and_of_a_batch(max_length, token_budget, most):
    """k sentences have 2k + 2 source tokens, and 3k + 4 on both sides."""
    found = join(1.0, max_length=max_length, token_budget=token_budget)
    sizes = [len(target) - 2 for _, target in found]
    assert (max(sizes), sum(sizes)) == (most, 2000)


def test_joined_ids_are_those_of_the_joined_text(tokenizer, pairs):
    ids = tokenizer.encode_ids([source for source, _ in pairs])
    changes = Augmentation(Shares(joined=1.0), LanguagePair(), max_length=999, token_budget=999)
    found = changes.join([(i, i) for i in ids], np.random.default_rng(1))
    assert len(found) < len(pairs)
    for source, _ in found:
        assert tokenizer.encode_ids([tokenizer.decode(source)]) == [source]


@settings(deadline=None, max_examples=50)
@given(text=st.text(max_size=40))
def test_without_dropout_the_tokenizers_own_ids_for_any_text(tokenizer, text):
    found = BpeDropout(tokenizer, [text], 0.0, 1).sample([text], SEED)
    assert found == tokenizer.encode_ids([text])


def test_all_dropped_leaves_characters(tokenizer):
    """Those that some merge knows, such as é; of others, such as 中, the bytes."""
    text = "Lété, 中😀."
    (ids,) = BpeDropout(tokenizer, [text], 1.0, 1).sample([text], SEED)
    subwords = [tokenizer.subword(id) for id in ids[1:-1]]
    assert subwords[:6] == [" ", "L", "é", "t", "é", ","]
    assert len(subwords) == 6 + len(" 中😀.".encode())


def test_dropped_subwords_spell_the_same_text_and_the_seed_decides(tokenizer, pairs):
    texts = [text for pair in pairs for text in pair]  # the first ten come unannounced
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


def test_one_merge_is_missed_with_probability_p(tokenizer):
    left, right = json.loads(tokenizer.bpe.to_str())["model"]["merges"][0]
    assert len(left) == len(right) == 1  # the first merge is of two bytes
    dropout = BpeDropout(tokenizer, [], 0.3, 1)
    random = np.random.default_rng(0)
    merged = sum(len(dropout.segment(left + right, random)) == 1 for _ in range(2000))
    assert near(merged, 2000, 0.7)


def test_occurrences_of_a_word_are_drawn_one_by_one(tokenizer):
    text = "the " * 200
    (ids,) = BpeDropout(tokenizer, [text], 0.5, 1).sample([text], SEED)
    spelled, whole = (
        " ".join(map(tokenizer.bpe.id_to_token, each[1:-1]))
        for each in (ids, *tokenizer.encode_ids(["the"]))
    )
    assert 0 < spelled.count(whole) < 200
