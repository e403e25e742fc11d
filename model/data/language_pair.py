"""What we wrote down about names, in no language and in pairs of languages: ``names``.

``train.json`` holds the names that a training puts into sentences, ``test.json`` those that only a
measurement sees. A file such as ``en-fr.json`` holds what belongs to one pair of languages.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from model.data.chinese import whole_words
from model.data.corpus import Pair

_FOLDER = Path(__file__).parent / "names"
_ENOUGH = 0.2  # share of the sentences that have common words on both sides


@dataclass(frozen=True)
class LanguagePair:
    """Two languages, as far as names and numbers go. Without a file, all of it is empty.

    Args:
        name: such as "en-fr"; empty for a pair that we know nothing of.
        stand_in: man, woman, family or place -> the names of the corpus that give way to others.
            They begin with a consonant.
        spelled: name of these -> all that the target language writes for it, if not the same.
        elided: word -> how it is written before a vowel, in the target language.
        templates: (source, target) with slots such as {person} and {person2}.
        month: the twelve months in both languages.
    """

    name: str = ""
    stand_in: Mapping[str, Sequence[str]] = field(default_factory=dict)
    spelled: Mapping[str, Sequence[str]] = field(default_factory=dict)
    elided: Mapping[str, str] = field(default_factory=dict)
    templates: Sequence[Pair] = ()
    month: Sequence[Pair] = ()


def names(purpose: str) -> dict[str, list[str]]:
    """The lists of ``train`` or of ``test``: man, woman, family, place and others."""
    return dict(_read(_FOLDER / f"{purpose}.json"))


def language_pair_of(pairs: Sequence[Pair]) -> LanguagePair:
    """Which pair of languages a corpus is in, by its most common words.

    Args:
        pairs: (source, target) of the corpus.

    Returns:
        The pair of which a fifth of the sentences have common words on both sides; an empty one
        where we have no file for these languages.
    """
    for path in sorted(_FOLDER.glob("*-*.json")):
        content = _read(path)
        source, target = map(_any_of, content.pop("common"))
        fitting = sum(bool(source.search(s) and target.search(t)) for s, t in pairs)
        if fitting >= _ENOUGH * len(pairs):
            return LanguagePair(name=path.stem, **content)
    return LanguagePair()


def _any_of(words: Sequence[str]) -> re.Pattern[str]:
    return re.compile(whole_words("|".join(words)), re.IGNORECASE)


def _read(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content
