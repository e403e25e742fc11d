"""A split loses no pair, hides every answer, and is equal on every machine."""

import hashlib
import random

from model.corpora.pairs import Pair
from model.corpora.split import split_corpus


def make_pairs(n_sources: int) -> list[Pair]:
    """Return sources with one to three translations. Some targets belong to several sources."""
    pairs = []
    for n in range(n_sources):
        pairs += [(f"Source {n}.", f"Cible {n}, forme {form}.") for form in range(1 + n % 3)]
        if n % 5 == 0:  # a shared target in two spellings, each for a hundred sources
            shared = f"Commun {n % 1000}."
            pairs.append((f"Source {n}.", shared.upper() if n % 2 else shared))
    return pairs


def test_a_split_uses_a_hash_loses_no_pair_and_keeps_test_answers_out_of_the_training():
    """First 8 bytes of SHA-256 of the lower-case source, as a fraction: < 2 % test, < 3 % dev."""
    pairs = make_pairs(3_000)
    dev: dict[str, list[str]] = {}
    test: dict[str, list[str]] = {}
    rest = []
    for source, target in pairs:
        fraction = int(hashlib.sha256(source.lower().encode()).hexdigest()[:16], 16) / 16**16
        if fraction < 0.02:
            test.setdefault(source, []).append(target)
        elif fraction < 0.03:
            dev.setdefault(source, []).append(target)
        else:
            rest.append((source, target))
    answers = {
        target.casefold()
        for held_out in (dev, test)
        for targets in held_out.values()
        for target in targets
    }

    split = split_corpus(pairs)
    assert split.dev == dev
    assert split.test == test
    assert split.train == [(s, t) for s, t in rest if t.casefold() not in answers]
    assert split.leaking == len(rest) - len(split.train) > 10  # pairs with a shared target


def test_the_order_of_the_file_does_not_change_the_split():
    pairs = make_pairs(3_000)
    split = split_corpus(pairs)
    other = split_corpus(random.Random(0).sample(pairs, len(pairs)))
    assert sorted(split.train) == sorted(other.train)
    for first, second in ((split.dev, other.dev), (split.test, other.test)):
        assert {s: sorted(t) for s, t in first.items()} == {s: sorted(t) for s, t in second.items()}


def test_case_and_typography_do_not_change_the_split():
    split = split_corpus(make_pairs(3_000))
    spelled = {source.upper().replace(" ", "\u202f"): ["x"] for source in split.test}
    assert split_corpus([(source, "x") for source in spelled]).test == spelled != {}
