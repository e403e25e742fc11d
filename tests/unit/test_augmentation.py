"""What an epoch changes, by its shares alone."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from model.data.as_typed import as_typed, without_final_sign
from model.data.augmentation import Augmentation, Shares
from model.data.corpus import Pair
from model.data.language_pair import LanguagePair, language_pair_of

CORPUS = [("Tom saw 365 cats.", "Tom a vu 365 chats.")] * 1000


def rewritten(shares: Shares, languages: LanguagePair) -> list[Pair]:
    changes = Augmentation(shares, languages, max_length=99, token_budget=999)
    return changes.rewritten(CORPUS, np.random.default_rng(1))


def test_as_many_as_asked(pairs):
    french = language_pair_of(pairs)
    assert rewritten(Shares(), french) == CORPUS
    made = Shares(made_sentences=0.3, agreement=0.2)
    assert rewritten(made, LanguagePair()) == CORPUS  # it has no templates
    assert rewritten(made, french)[:1000] == CORPUS
    assert len(rewritten(made, french)) == 1500
    for shares in (Shares(copying=0.3), Shares(as_typed=0.3)):
        found = rewritten(shares, french)
        spread = 5 * (1000 * 0.3 * 0.7) ** 0.5  # five standard deviations
        assert abs(sum(pair not in CORPUS for pair in found) - 300) < spread
    assert {target for _, target in found} == {CORPUS[0][1]}


def test_a_name_in_small_letters_is_written_with_a_capital(pairs):
    found = rewritten(Shares(copying=1.0, as_typed=1.0), language_pair_of(pairs))
    small = [(source, target) for source, target in found if source.islower()]
    assert len(small) > 500
    for source, target in small:
        name = target.split(" a vu ")[0]
        assert name != name.lower()
        assert source.startswith(name.lower() + " saw ")


def test_examples_are_joined_within_the_limits_of_the_model_and_of_a_batch():
    """Of four numbers on each side, joined ones have 4, 6, 8 ... tokens a side."""
    examples = [([1, i, i, 2], [1, i, i, 2]) for i in range(10, 500)]
    for max_length, token_budget, longest in ((8, 999, 8), (7, 999, 6), (99, 16, 8), (99, 15, 6)):
        changes = Augmentation(
            Shares(joined=1.0), LanguagePair(), max_length=max_length, token_budget=token_budget
        )
        found = changes.joined(examples, np.random.default_rng(1))
        assert max(len(source) for source, _ in found) == longest


def test_small_letters_no_final_sign_or_both_come_equally_often():
    random = np.random.default_rng(1)
    ways = Counter(as_typed("Is Tom here?", random) for _ in range(3000))
    assert set(ways) == {"is tom here?", "Is Tom here", "is tom here"}
    assert all(abs(n - 1000) < 5 * (3000 * 2 / 9) ** 0.5 for n in ways.values())  # 5 deviations


@pytest.mark.parametrize(
    ("text", "without"),
    [
        ("Wait...", "Wait"),
        ("Really?!", "Really"),
        ("Stop ! ", "Stop ! "),  # the corpus has no space at an end
        ("He said: Stop!", "He said: Stop"),
        ("One. Two.", "One. Two"),
        ("?", "?"),  # nothing would be left
        ("Hello", "Hello"),
    ],
)
def test_the_final_sign(text, without):
    assert without_final_sign(text) == without
