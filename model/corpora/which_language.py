"""Which language a text is in: who types French into an English box is told so."""

import re
from functools import cache, partial
from unicodedata import combining, normalize

from py3langid.langid import MODEL_FILE, LanguageIdentifier  # type: ignore[import-untyped]

from model.corpora.chinese import is_chinese

LANGUAGES = ("en", "fr", "zh")
# From which probability on we say it: of the two likeliest of these, so that a language more
# makes none of them unsure, and among all languages of the world. "hello" has 0.58 and 0.02 for
# English, "bonjour" 0.92 and 0.13 for French, and "Ik ben een student.", which is neither, 0.91
# and less than 0.001 for English.
_SURE, _SURE_OF_ALL = 0.9, 0.1
_CHINESE = ("wuu", "yue")  # written with the same characters
_FEWEST = 10  # letters, except in Chinese: "Bon voyage!" is said in English, too
# A name says nothing of the language around it: "Jean-Pierre lives in Montréal."
_WORD = re.compile(r"(?<!^)\b[^\W\d_][\w'-]*")
_identifier = cache(partial(LanguageIdentifier.from_model_file, MODEL_FILE, norm_probs=True))


def language_of(text: str) -> str | None:
    """One of ``LANGUAGES``; None for any other, and where that is not sure, as for a few words.

    The first call takes a second.

    Source: Lui & Baldwin 2012, "langid.py: An Off-the-shelf Language Identification Tool".
    """
    spread = normalize("NFD", text)
    plain = "".join(character for character in spread if not combining(character))
    found = _language_of(text)
    if found == "zh" and not is_chinese(text):
        return None
    if found != "zh" and sum(map(str.isalpha, text)) < _FEWEST:
        return None
    # A word with accents does not make English French: "Her résumé is long."
    return found if plain == spread or _language_of(plain) in (found, None) else None


def _language_of(text: str) -> str | None:
    nameless = _WORD.sub(lambda word: "" if word[0][0].isupper() else word[0], text)
    found: dict[str, float] = dict(_identifier().rank(nameless))
    found["zh"] += sum(found[code] for code in _CHINESE)
    second, language = sorted(LANGUAGES, key=found.__getitem__)[-2:]
    of_both = found[language] / (found[language] + found[second])
    return language if of_both >= _SURE and found[language] >= _SURE_OF_ALL else None
