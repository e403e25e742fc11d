"""Which language a text is in: who types French into an English box is told so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache

from py3langid.langid import MODEL_FILE, LanguageIdentifier  # type: ignore[import-untyped]

LANGUAGES = ("en", "fr", "zh")
_SURE = 0.9  # probability from which on we say it; "hello" has 0.57, "bonjour" 0.92


def language_of(text: str) -> str | None:
    """One of ``LANGUAGES``; None where that is not sure, as for most names and single words.

    The first call takes a second.

    Source: Lui & Baldwin 2012, "langid.py: An Off-the-shelf Language Identification Tool".
    """
    language, probability = _identifier().classify(text)
    return str(language) if probability >= _SURE else None


def language_of_most(texts: Iterable[str]) -> str | None:
    """The language of a corpus; None where most of its texts are in none that we know.

    >>> language_of_most(["I am here.", "Where are you now?", "Tom"])
    'en'
    """
    found = Counter(map(language_of, texts))
    language, _ = max(found.items(), key=lambda item: item[1], default=(None, 0))
    return language


@cache
def _identifier() -> LanguageIdentifier:
    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(LANGUAGES)
    return identifier
