"""Which sentences of a corpus a model can take at all."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from itertools import compress

from model.data.tokenizer import Tokenizer


def short_enough(
    references: Mapping[str, Sequence[str]],
    tokenizer: Tokenizer,
    max_length: int,
    *,
    with_targets: bool = False,
) -> dict[str, list[str]]:
    """The sentences of at most so many tokens; how many have more is said on standard error.

    Args:
        references: source sentence -> its translations.
        tokenizer: the model's.
        max_length: tokens of a text that the model takes, BOS and EOS among them.
        with_targets: the first translation, too, will be read by the model, and has to fit.

    Raises:
        ValueError: all are too long.
    """
    fits = [len(ids) <= max_length for ids in tokenizer.encode_ids(list(references))]
    if with_targets:
        targets = tokenizer.encode_ids([first for first, *_ in references.values()], "target")
        fits = [fit and len(ids) <= max_length for fit, ids in zip(fits, targets, strict=True)]
    if references and not any(fits):
        raise ValueError(f"every sentence has more than the {max_length:,} tokens that are taken")
    if too_long := len(fits) - sum(fits):
        print(
            f"{too_long:,} of {len(fits):,} sentences are left out: over {max_length:,} tokens",
            file=sys.stderr,
        )
    return {source: list(targets) for source, targets in compress(references.items(), fits)}
