"""Which sentences of a corpus a model can take at all."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from itertools import compress

from model.data.tokenizer import Tokenizer


def short_enough(
    references: Mapping[str, Sequence[str]], tokenizer: Tokenizer, max_length: int
) -> dict[str, list[str]]:
    """The sentences of at most so many tokens; how many have more is said on standard error.

    Args:
        references: source sentence -> its translations.
        tokenizer: the model's.
        max_length: tokens of a source that the model takes, BOS and EOS among them.

    Raises:
        ValueError: all are too long.
    """
    lengths = map(len, tokenizer.encode_ids(list(references)))
    fits = [length <= max_length for length in lengths]
    if references and not any(fits):
        raise ValueError(f"every sentence has more than the {max_length:,} tokens that are taken")
    if too_long := len(fits) - sum(fits):
        print(
            f"{too_long:,} of {len(fits):,} sentences are left out: over {max_length:,} tokens",
            file=sys.stderr,
        )
    return {source: list(targets) for source, targets in compress(references.items(), fits)}
