"""Detects the language of a text, for example of French that was typed into an English box."""

import re
from functools import cache, partial
from unicodedata import combining, normalize

from py3langid.langid import MODEL_FILE, LanguageIdentifier  # type: ignore[import-untyped]

from model.corpora.chinese import is_chinese

LANGUAGES = ("en", "fr", "zh")

# A language is named if its two probabilities are at least this large. The first compares the two
# likeliest of LANGUAGES, so that a further language makes none of them unsure. The second is among
# all languages of the world. "hello" has 0.58 and 0.02 for English, "bonjour" 0.92 and 0.13 for
# French. "Ik ben een student." is Dutch: it has 0.91 and less than 0.001 for English.
_MIN_OF_TWO = 0.9
_MIN_OF_ALL = 0.1

# Languages that a visitor may type although no shipped model reads them.
OTHER_LANGUAGES = ("ar", "de", "es", "hi", "it", "ja", "ko", "nl", "pl", "pt", "ru", "tr", "vi")

# One of them is named if it has at least this probability among all languages, with and without
# the names in the text. Among 12,000 English and French sentences of Tatoeba none has it.
_MIN_OF_OTHER = 0.6

_CHINESE_CODES = ("wuu", "yue")  # Wu and Cantonese, written with the same characters
_MIN_LETTERS = 10  # except in Chinese: English texts contain "Bon voyage!", too

# A word inside a sentence. With a capital it is a name, which tells nothing about the language
# around it: "Jean-Pierre lives in Montréal."
_WORD = re.compile(r"(?<!^)\b[^\W\d_][\w'-]*")
_identifier = cache(partial(LanguageIdentifier.from_model_file, MODEL_FILE, norm_probs=True))


def language_of(text: str) -> str | None:
    """Return the language of a text.

    The first call takes a second.

    Returns:
        One of ``LANGUAGES``; None for any other, and where it is not sure, as for a few words.

    Source: Lui & Baldwin 2012, "langid.py: An Off-the-shelf Language Identification Tool".
    """
    language = _likely_language(text)
    if language == "zh" and not is_chinese(text):
        return None
    if language != "zh" and sum(map(str.isalpha, text)) < _MIN_LETTERS:
        return None

    # A word with accents does not make an English sentence French: "Her résumé is long."
    decomposed = normalize("NFD", text)
    without_accents = "".join(c for c in decomposed if not combining(c))
    if without_accents == decomposed:
        return language
    return language if _likely_language(without_accents) in (language, None) else None


def typed_language_of(text: str) -> str | None:
    """Return the language of a text that a visitor typed: also one that no shipped model reads.

    Returns:
        One of ``LANGUAGES`` or of ``OTHER_LANGUAGES``; None where it is not sure.

    >>> typed_language_of("Ich bin ein Student."), typed_language_of("I am a student.")
    ('de', 'en')
    """
    language = language_of(text)
    if language or sum(map(str.isalpha, text)) < _MIN_LETTERS:
        return language

    likeliest = None
    for read_text in (text, _without_names(text)):
        [(language, probability), *_] = _identifier().rank(read_text)
        if language not in OTHER_LANGUAGES or probability < _MIN_OF_OTHER:
            return None
        if likeliest not in (None, language):
            return None
        likeliest = language
    return likeliest


def _without_names(text: str) -> str:
    """Leave out each word inside a text that has a capital."""
    return _WORD.sub(lambda word: "" if word[0][0].isupper() else word[0], text)


def _likely_language(text: str) -> str | None:
    probabilities: dict[str, float] = dict(_identifier().rank(_without_names(text)))
    probabilities["zh"] += sum(probabilities[code] for code in _CHINESE_CODES)

    second, first = sorted(LANGUAGES, key=probabilities.__getitem__)[-2:]
    of_two = probabilities[first] / (probabilities[first] + probabilities[second])
    if of_two >= _MIN_OF_TWO and probabilities[first] >= _MIN_OF_ALL:
        return first
    return None
