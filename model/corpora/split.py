"""Hold out sentences of a corpus, to evaluate a model on sentences that it has not seen.

The hash of a source sentence decides where it belongs. So a split is the same on every machine and
in any order of the file.
"""

import hashlib
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from model.corpora.pairs import Pair, References
from model.corpora.plain_text import normalise

TEST_SHARE = 0.02  # share of the source sentences: two thousand of a hundred thousand
DEV_SHARE = 0.01  # fewer, because training translates all of them again and again


@dataclass(frozen=True)
class Split:
    """The training pairs, and the held-out sources with all their translations."""

    train: Collection[Pair]
    dev: References  # translated during training
    test: References  # translated only after training
    leaking: int  # pairs left out of train because a held-out sentence has the same target


def split_corpus(pairs: list[Pair]) -> Split:
    """Split pairs into training, development and test data.

    About 97 % of the source sentences are train, 1 % dev and 2 % test, with all translations. A
    pair whose target is also the target of a held-out sentence is left out of train: the model
    would have seen the answer.
    """
    dev, test = hold_out(pairs)
    held_out = dev | test
    answers = all_targets(dev, test)
    rest = [(source, target) for source, target in pairs if source not in held_out]
    train = [(source, target) for source, target in rest if target.casefold() not in answers]
    return Split(train, dev, test, leaking=len(rest) - len(train))


def hold_out(pairs: Iterable[Pair], *, rarer: float = 1.0) -> tuple[References, References]:
    """Return the held-out sources of dev and test, each with all its distinct translations.

    Args:
        pairs: of the whole corpus.
        rarer: hold out this many times fewer sentences than usual; at least 1.
    """
    dev: References = {}
    test: References = {}
    for source, target in pairs:
        share = held_out_share(source) * rarer
        if share >= TEST_SHARE + DEV_SHARE:
            continue
        held_out = test if share < TEST_SHARE else dev
        targets = held_out.setdefault(source, [])
        if target not in targets:
            targets.append(target)
    return dev, test


def held_out_share(source: str) -> float:
    """Return the hash of a sentence as a number in [0, 1), ignoring case.

    A source below ``TEST_SHARE`` is in the test split, one below ``TEST_SHARE + DEV_SHARE`` in dev.
    """
    digest = hashlib.sha256(normalise(source).casefold().encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


def all_targets(*sides: References) -> set[str]:
    """Return the held-out translations in lower case. Training targets must not include them."""
    return {
        target.casefold()
        for references in sides
        for targets in references.values()
        for target in targets
    }
