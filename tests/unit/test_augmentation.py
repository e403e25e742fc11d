"""The share of an epoch that is changed, and how sentences are joined."""

from collections import Counter

import numpy as np
import pytest

from model.augmentation.augmentation import Augmentation, Shares
from model.augmentation.names.language_pair import LanguagePair
from model.corpora.pairs import Pair
from tests.unit.conftest import is_about

CORPUS = [("Tom saw 365 cats.", "Tom a vu 365 chats.")] * 1000
Ids = list[tuple[list[int], list[int]]]


def rewrite(shares: Shares, languages: LanguagePair) -> list[Pair]:
    augmentation = Augmentation(shares, languages, max_length=99, token_budget=999)
    return augmentation.rewrite(CORPUS, np.random.default_rng(1))


def test_with_shares_of_0_the_corpus_is_unchanged(french):
    assert rewrite(Shares(), french) == CORPUS


def test_made_sentences_follow_the_corpus_in_the_given_number(french):
    shares = Shares(made_sentences=0.3, agreement=0.2)
    rewritten = rewrite(shares, french)
    assert rewritten[:1000] == CORPUS
    assert len(rewritten) == 1500
    assert rewrite(shares, LanguagePair()) == CORPUS  # this language pair has no templates


@pytest.mark.parametrize("shares", [Shares(copying=0.3), Shares(as_typed=0.3)])
def test_the_given_share_of_pairs_is_changed(shares, french):
    n_changed = sum(pair not in CORPUS for pair in rewrite(shares, french))
    assert is_about(n_changed, 1000, 0.3)


def test_careless_typing_changes_sources_only(french):
    targets = {target for _, target in rewrite(Shares(as_typed=0.3), french)}
    assert targets == {"Tom a vu 365 chats."}


def test_a_name_in_small_letters_gets_a_capital_in_the_target(french):
    rewritten = rewrite(Shares(copying=1.0, as_typed=1.0), french)
    small = [(source, target) for source, target in rewritten if source.islower()]
    assert len(small) > 500
    for source, target in small:
        name = target.split(" a vu ")[0]
        assert name != name.lower()
        assert source.startswith(name.lower() + " saw ")


EXAMPLES = [([1, i, i, 2], [1, -i, 2]) for i in range(10, 2010)]


def join(share: float, *, max_length: int = 99, token_budget: int = 999) -> Ids:
    """Join examples 1, 2, ...: the source of example i is BOS i i EOS, its target BOS -i EOS."""
    augmentation = Augmentation(
        Shares(joined=share), LanguagePair(), max_length=max_length, token_budget=token_budget
    )
    return augmentation.join(EXAMPLES, np.random.default_rng(1))


def test_joining_loses_nothing_keeps_pairs_together_and_joins_two_to_four_equally_often():
    joined = join(0.3)
    assert sorted(-i for _, target in joined for i in target[1:-1]) == list(range(10, 2010))
    for source, target in joined:
        assert source[:1] + source[-1:] == target[:1] + target[-1:] == [1, 2]
        assert source[1:-1] == [-i for i in target[1:-1] for _ in range(2)]
    sizes = Counter(len(target) - 2 for _, target in joined)
    assert set(sizes) == {1, 2, 3, 4}
    # the share refers to the new examples
    assert is_about(len(joined) - sizes[1], len(joined), 0.3)
    assert all(is_about(sizes[k], len(joined), 0.1) for k in (2, 3, 4))


def test_with_a_share_of_0_nothing_is_joined():
    assert join(0.0) == EXAMPLES


@pytest.mark.parametrize(
    ("max_length", "token_budget", "most"),
    [(6, 999, 2), (7, 999, 2), (99, 12, 2), (99, 13, 3), (4, 999, 1)],
)
def test_no_joined_example_is_longer_than_the_model_or_a_batch_allows(
    max_length, token_budget, most
):
    """k joined sentences have 2k + 2 source tokens, and 3k + 4 tokens on both sides together."""
    joined = join(1.0, max_length=max_length, token_budget=token_budget)
    sizes = [len(target) - 2 for _, target in joined]
    assert (max(sizes), sum(sizes)) == (most, 2000)


def test_joined_ids_are_those_of_the_joined_text(tokenizer, pairs):
    ids = tokenizer.encode_ids([source for source, _ in pairs])
    augmentation = Augmentation(
        Shares(joined=1.0), LanguagePair(), max_length=999, token_budget=999
    )
    joined = augmentation.join([(i, i) for i in ids], np.random.default_rng(1))
    assert len(joined) < len(pairs)
    for source, _ in joined:
        assert tokenizer.encode_ids([tokenizer.decode(source)]) == [source]
