"""An epoch shows each source once, with one of its own translations, drawn anew."""

from __future__ import annotations

import pytest

from model.data.augmentation import Augmentation, Shares
from model.data.corpus import Pair
from model.data.epochs import Examples
from model.data.language_pair import LanguagePair, language_pair_of
from model.data.tokenizer import Tokenizer

AS_IT_IS = Augmentation(Shares(), LanguagePair(), max_length=99, token_budget=999)


@pytest.fixture(scope="module")
def translations(pairs: list[Pair]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for source, target in pairs:
        found.setdefault(source, set()).add(target)
    return found


def as_text(tokenizer: Tokenizer, sampled: list[tuple[list[int], list[int]]]) -> list[Pair]:
    return [(tokenizer.decode(source), tokenizer.decode(target)) for source, target in sampled]


@pytest.mark.parametrize("bpe_dropout", [0.0, 0.5])
def test_each_source_once_with_a_translation_of_its_own(
    tokenizer, pairs, translations, bpe_dropout
):
    sampled = as_text(
        tokenizer, Examples(pairs, tokenizer, bpe_dropout, 1, AS_IT_IS).sample((1, 0))
    )
    assert [source for source, _ in sampled] == list(translations)
    assert set(sampled) <= set(pairs)


def test_every_translation_gets_its_turn(tokenizer, pairs):
    """20 passes miss one of two translations of a sentence with probability 2 / 2^20."""
    examples = Examples(pairs, tokenizer, 0.0, 1, AS_IT_IS)
    seen = {pair for n in range(20) for pair in as_text(tokenizer, examples.sample((1, n)))}
    assert seen == set(pairs)


def test_only_sources_are_cut_in_other_subwords(tokenizer, pairs):
    own = {text: ids for pair in pairs for text, ids in zip(pair, tokenizer.encode_ids(pair))}  # noqa: B905
    sampled = Examples(pairs, tokenizer, 0.5, 1, AS_IT_IS).sample((1, 0))
    assert all(target == own[tokenizer.decode(target)] for _, target in sampled)
    assert any(source != own[tokenizer.decode(source)] for source, _ in sampled)


def test_seed_decides(tokenizer, pairs):
    examples = Examples(pairs, tokenizer, 0.5, 1, AS_IT_IS)
    assert examples.sample((1, 0)) == examples.sample((1, 0))
    assert examples.sample((1, 0)) == Examples(pairs, tokenizer, 0.5, 1, AS_IT_IS).sample((1, 0))
    assert examples.sample((1, 0)) != examples.sample((1, 1))


def test_with_everything_on_the_seed_still_decides(tokenizer, pairs):
    def examples() -> Examples:
        shares = Shares(copying=1.0, made_sentences=0.5, agreement=0.5, as_typed=0.5, joined=0.5)
        languages = language_pair_of(pairs)
        changes = Augmentation(shares, languages, max_length=99, token_budget=999)
        return Examples(pairs, tokenizer, 0.5, 1, changes)

    one, other = examples(), examples()
    one.sample((1, 0))  # what was drawn before must not matter: a resumed run has not drawn it
    assert one.sample((1, 1)) == other.sample((1, 1))
    assert one.sample((1, 1)) != one.sample((1, 2))


def test_rewritten_targets_get_the_tokenizers_own_ids(tokenizer, pairs):
    shares = Shares(copying=1.0, made_sentences=2.0)
    changes = Augmentation(shares, language_pair_of(pairs), max_length=99, token_budget=999)
    sampled = Examples(pairs, tokenizer, 0.5, 1, changes).sample((1, 0))
    known = {target for _, target in pairs}
    new = [ids for _, ids in sampled if tokenizer.decode(ids) not in known]
    assert len(new) > len(pairs)
    assert all(tokenizer.encode_ids([tokenizer.decode(ids)]) == [ids] for ids in new)
