"""What an epoch changes, by its shares alone."""

from __future__ import annotations

import numpy as np

from model.data.augmentation import Augmentation, Shares
from model.data.corpus import Pair
from model.data.language_pair import LanguagePair, language_pair_of

CORPUS = [("Tom saw 365 cats.", "Tom a vu 365 chats.")] * 1000


def rewritten(shares: Shares, languages: LanguagePair) -> list[Pair]:
    changes = Augmentation(shares, languages, max_length=99, token_budget=999)
    return changes.rewritten(CORPUS, np.random.default_rng(1))


def test_shares_of_nothing_leave_the_corpus_as_it_is(pairs: list[Pair]) -> None:
    assert rewritten(Shares(), language_pair_of(pairs)) == CORPUS


def test_as_many_as_asked(pairs: list[Pair]) -> None:
    french = language_pair_of(pairs)
    spread = 5 * (1000 * 0.3 * 0.7) ** 0.5  # five standard deviations
    changed = sum(pair not in CORPUS for pair in rewritten(Shares(copying=0.3), french))
    assert abs(changed - 300) < spread
    typed = rewritten(Shares(as_typed=0.3), french)
    assert abs(sum(pair not in CORPUS for pair in typed) - 300) < spread
    assert {target for _, target in typed} == {CORPUS[0][1]}
    made = rewritten(Shares(made_sentences=0.3, agreement=0.2), french)
    assert made[:1000] == CORPUS
    assert len(made) == 1500


def test_a_name_in_small_letters_is_written_with_a_capital(pairs: list[Pair]) -> None:
    found = rewritten(Shares(copying=1.0, as_typed=1.0), language_pair_of(pairs))
    small = [(source, target) for source, target in found if source.islower()]
    assert len(small) > 500
    for source, target in small:
        name = target.split(" a vu ")[0]
        assert name != name.lower()
        assert source.startswith(name.lower() + " saw ")


def test_a_language_pair_without_templates_gets_no_made_sentences() -> None:
    assert rewritten(Shares(made_sentences=0.5, agreement=0.5), LanguagePair()) == CORPUS


def test_examples_are_joined_within_the_limits_of_the_model_and_of_a_batch() -> None:
    """Of four numbers on each side, joined ones have 4, 6, 8 ... tokens a side."""
    examples = [([1, i, i, 2], [1, i, i, 2]) for i in range(10, 500)]
    for max_length, token_budget, longest in ((8, 999, 8), (7, 999, 6), (99, 16, 8), (99, 15, 6)):
        changes = Augmentation(
            Shares(joined=1.0), LanguagePair(), max_length=max_length, token_budget=token_budget
        )
        found = changes.joined(examples, np.random.default_rng(1))
        assert max(len(source) for source, _ in found) == longest
