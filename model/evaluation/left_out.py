"""Exclude from an evaluation: models for other languages, and sentences that are too long."""

import sys
from collections.abc import Mapping, Sequence
from itertools import compress

from model.corpora.pairs import Languages
from model.tokenizers.tokenizer import Tokenizer


def of_these_languages(
    checkpoints: Mapping[str, Languages], corpus: Languages, *, consequence: str
) -> list[str]:
    """Choose the checkpoints that translate between the languages of a corpus.

    An unknown language may be any language. Every other checkpoint is named on standard error.

    Args:
        checkpoints: the languages of each checkpoint, by its name.
        corpus: the languages of the corpus.
        consequence: what happens to the other checkpoints, such as "left out".

    Returns:
        The names, in the order of ``checkpoints``.

    Raises:
        ValueError: no checkpoint translates between these languages.
    """
    fitting = []
    for name, languages in checkpoints.items():
        if all(map(_may_be_equal, languages, corpus)):
            fitting.append(name)
        else:
            print(f"{name} is {consequence}: it translates {_pair(languages)}", file=sys.stderr)
    if not fitting:
        raise ValueError(f"none of these checkpoints translates {_pair(corpus)}, as the corpus")
    return fitting


def _may_be_equal(language: str | None, other: str | None) -> bool:
    return language is None or other is None or language == other


def _pair(languages: Languages) -> str:
    return "-".join(language or "?" for language in languages)


def short_enough(
    references: Mapping[str, Sequence[str]],
    tokenizer: Tokenizer,
    max_length: int,
    *,
    with_targets: bool = False,
) -> dict[str, list[str]]:
    """Choose the sentences that a model can process; print how many are left out to standard error.

    Args:
        references: each source with its reference translations.
        tokenizer: the model's.
        max_length: how many tokens the model takes, BOS and EOS included.
        with_targets: whether the model will read the first translation, too, so that it must fit.

    Raises:
        ValueError: every sentence is too long.
    """
    fits = [len(ids) <= max_length for ids in tokenizer.encode_ids(list(references))]
    if with_targets:
        first_targets = [targets[0] for targets in references.values()]
        target_ids = tokenizer.encode_ids(first_targets, "target")
        fits = [
            source_fits and len(ids) <= max_length
            for source_fits, ids in zip(fits, target_ids, strict=True)
        ]
    if references and not any(fits):
        raise ValueError(f"every sentence has more than the {max_length:,} tokens that are taken")
    n_too_long = fits.count(False)
    if n_too_long:
        print(
            f"{n_too_long:,} of {len(fits):,} sentences are left out: over {max_length:,} tokens",
            file=sys.stderr,
        )
    return {source: list(targets) for source, targets in compress(references.items(), fits)}
