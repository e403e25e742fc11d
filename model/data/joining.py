"""Examples of several sentences: long ones are rare in a corpus, so short ones are joined.

A model that has never seen two sentences in a row translates the first, or mixes them up.

Source: Kondo et al. 2021, "Sentence Concatenation Approach to Data Augmentation for NMT".
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from model.data.batches import Ids

_MOST = 4


def joined(
    examples: Sequence[tuple[Ids, Ids]],
    share: float,
    random: np.random.Generator,
    *,
    max_length: int,
    token_budget: int,
) -> list[tuple[Ids, Ids]]:
    """The same sentences, each once, some of them two to four in one example.

    Args:
        examples: (source, target) ids, BOS ... EOS.
        share: how many of the new examples hold several sentences.
        random: decides which sentences meet.
        max_length: tokens of a source or target, at most.
        token_budget: tokens of both together, at most.

    Returns:
        The new examples. A sentence that would make one too long begins the next.
    """
    if share == 0:
        return list(examples)
    order = random.permutation(len(examples))
    several = random.random(len(examples)) < share
    sizes = np.where(several, random.integers(2, _MOST + 1, len(examples)), 1)
    found: list[tuple[Ids, Ids]] = []
    left = 0  # how many more sentences the last example wants
    for i, size in zip(order, sizes, strict=True):
        source, target = examples[i]
        if left:
            longer = found[-1][0][:-1] + source[1:], found[-1][1][:-1] + target[1:]
            if max(map(len, longer)) <= max_length and sum(map(len, longer)) <= token_budget:
                found[-1], left = longer, left - 1
                continue
        found.append((source, target))
        left = size - 1
    return found
