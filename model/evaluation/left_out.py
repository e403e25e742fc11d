"""What is left out of a measurement: models of other languages, sentences that are too long."""

import sys
from collections.abc import Mapping, Sequence
from itertools import compress

from model.tokenizers.tokenizer import Tokenizer

Languages = Sequence[str | None]


def of_these_languages(
    known: Mapping[str, Languages], corpus: Languages, *, what: str
) -> list[str]:
    """The checkpoints that translate between the languages of a corpus; None may be any language.

    The others are named on standard error, with what happens to them, such as "left out";
    ValueError if there is none.
    """
    found = []
    for name, own in known.items():
        if all(None in sides or sides[0] == sides[1] for sides in zip(own, corpus, strict=True)):
            found.append(name)
        else:
            print(f"{name} is {what}: it translates {_pair(own)}", file=sys.stderr)
    if not found:
        raise ValueError(f"none of these checkpoints translates {_pair(corpus)}, as the corpus")
    return found


def _pair(languages: Languages) -> str:
    return "-".join(language or "?" for language in languages)


def short_enough(
    references: Mapping[str, Sequence[str]],
    tokenizer: Tokenizer,
    max_length: int,
    *,
    with_targets: bool = False,
) -> dict[str, list[str]]:
    """The sentences that a model can take; how many it cannot is said on standard error.

    Of ``max_length`` tokens at most, BOS and EOS among them; ``with_targets`` the first translation
    will be read by the model, too, and has to fit. ValueError where all are too long.
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
