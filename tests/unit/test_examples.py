"""A pass shows each source once, with one of its own translations, drawn anew."""

from __future__ import annotations

import pytest

from model.corpus import Pair
from model.examples import Examples
from model.tokenizer import Tokenizer


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
    tokenizer: Tokenizer,
    pairs: list[Pair],
    translations: dict[str, set[str]],
    bpe_dropout: float,
) -> None:
    sampled = as_text(tokenizer, Examples(pairs, tokenizer, bpe_dropout, 1).sample((1, 0)))
    assert [source for source, _ in sampled] == list(translations)
    assert set(sampled) <= set(pairs)


def test_every_translation_gets_its_turn(tokenizer: Tokenizer, pairs: list[Pair]) -> None:
    """20 passes miss one of two translations of a sentence with probability 2 / 2^20."""
    examples = Examples(pairs, tokenizer, 0.0, 1)
    seen = {pair for n in range(20) for pair in as_text(tokenizer, examples.sample((1, n)))}
    assert seen == set(pairs)


def test_only_sources_are_cut_in_other_pieces(tokenizer: Tokenizer, pairs: list[Pair]) -> None:
    own = {text: ids for pair in pairs for text, ids in zip(pair, tokenizer.encode_ids(pair))}  # noqa: B905
    sampled = Examples(pairs, tokenizer, 0.5, 1).sample((1, 0))
    assert all(target == own[tokenizer.decode(target)] for _, target in sampled)
    assert any(source != own[tokenizer.decode(source)] for source, _ in sampled)


def test_seed_decides(tokenizer: Tokenizer, pairs: list[Pair]) -> None:
    examples = Examples(pairs, tokenizer, 0.5, 1)
    assert examples.sample((1, 0)) == examples.sample((1, 0))
    assert examples.sample((1, 0)) == Examples(pairs, tokenizer, 0.5, 1).sample((1, 0))
    assert examples.sample((1, 0)) != examples.sample((1, 1))
