"""Which checkpoints may be measured on a corpus: those that translate its languages."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

Languages = Sequence[str | None]


def of_these_languages(
    known: Mapping[str, Languages], corpus: Languages, *, what: str
) -> list[str]:
    """The checkpoints that translate between the languages of a corpus.

    A language that is not known may be any. The others are named on standard error.

    Args:
        known: checkpoint -> its source and target language.
        corpus: the languages of its sources and targets.
        what: what happens to the others, such as "left out".

    Raises:
        ValueError: there is none.
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
