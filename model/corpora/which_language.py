"""Detect the language of a text, for example French in the box for English."""

import re
from functools import cache, partial
from unicodedata import combining, normalize

from py3langid.langid import MODEL_FILE, LanguageIdentifier  # type: ignore[import-untyped]

from model.corpora.chinese import is_chinese

LANGUAGES = ("en", "fr", "zh")

# A language is reported if both of its probabilities reach these thresholds. The first compares it
# only with the second likeliest language of LANGUAGES, so that a further language changes only the
# results of texts that are close to it. The second compares it with all languages of the
# identifier. "hello" has 0.58 and 0.02 for English, "bonjour" has 0.92 and 0.13 for French. "Ik ben
# een student." is Dutch: it has 0.91 and less than 0.001 for English.
_MIN_OF_TWO = 0.9
_MIN_OF_ALL = 0.1

# Languages that users may type although no shipped model translates them.
OTHER_LANGUAGES = ("ar", "de", "es", "hi", "it", "ja", "ko", "nl", "pl", "pt", "ru", "tr", "vi")

# Smallest probability at which one of OTHER_LANGUAGES is reported. It must be reached both with and
# without the names in the text. None of 12,000 English and French sentences of Tatoeba reaches it.
_MIN_OF_OTHER = 0.6

_CHINESE_CODES = ("wuu", "yue")  # Wu and Cantonese, written with the same characters
_MIN_LETTERS = 10  # except in Chinese: English texts contain "Bon voyage!", too

# A word after the first word. With a capital it is a name, which does not show the language of the
# sentence: "Jean-Pierre lives in Montréal."
_WORD = re.compile(r"(?<!^)\b[^\W\d_][\w'-]*")
_identifier = cache(partial(LanguageIdentifier.from_model_file, MODEL_FILE, norm_probs=True))


def language_of(text: str) -> str | None:
    """Detect the language of a text among those of the shipped models.

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

    # Accents alone do not make an English sentence French: "Her résumé is long."
    decomposed = normalize("NFD", text)
    without_accents = "".join(c for c in decomposed if not combining(c))
    if without_accents == decomposed:
        return language
    return language if _likely_language(without_accents) in (language, None) else None


def typed_language_of(text: str) -> str | None:
    """Detect the language of a typed text, also among languages that no shipped model translates.

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
    """Remove the capitalised words after the first word."""
    return _WORD.sub(lambda word: "" if word[0][0].isupper() else word[0], text)


def _likely_language(text: str) -> str | None:
    """Return the likeliest of ``LANGUAGES``, without the names in a text; None if not sure."""
    probabilities: dict[str, float] = dict(_identifier().rank(_without_names(text)))
    probabilities["zh"] += sum(probabilities[code] for code in _CHINESE_CODES)

    second, first = sorted(LANGUAGES, key=probabilities.__getitem__)[-2:]
    of_two = probabilities[first] / (probabilities[first] + probabilities[second])
    if of_two >= _MIN_OF_TWO and probabilities[first] >= _MIN_OF_ALL:
        return first
    return None
