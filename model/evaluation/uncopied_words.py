"""Finds words that a translation should have copied from the source and has not."""

import re

from model.corpora.chinese import space_out
from model.tokenizers.tokenizer import code_asked

_SIGN = re.compile(r"[@#&+_\\]|://|www\.")  # in no word of a language
_TIME = re.compile(r"\d{1,2}:\d\d")  # each language writes it in a way of its own
_PUNCTUATION = ".,;:!?\"'()[]，。！？；：、（）“”‘’「」《》"
_MIN_DIGITS = 3  # a smaller number may be written as a word


def uncopied_words(source: str, target: str) -> list[str]:
    """Return the words of a source that its translation lacks or changes.

    Only words that no language translates are looked at: numbers of at least three digits, and
    words with a sign such as @ or +.

    Args:
        source: a normalised text.
        target: its translation.

    >>> uncopied_words("C++ sold 1,250 copies in 1999.", "Le C a vendu 1 250 copies en 19990.")
    ['C++', '1999']
    """
    text = space_out(source.removeprefix(code_asked(source) or ""))
    words = dict.fromkeys(word.strip(_PUNCTUATION) for word in text.split())
    return [word for word in words if not _is_copied(word, target)]


def _is_copied(word: str, target: str) -> bool:
    """Return whether the target holds a word, or need not hold it."""
    if _SIGN.search(word) and any(map(str.isalnum, word)):
        return word in target
    digits = re.findall(r"\d", word)
    if len(digits) < _MIN_DIGITS or _TIME.match(word):
        return True
    number = r"\W?".join(digits)  # 1,250 may become 1 250
    return bool(re.search(rf"(?<!\d){number}(?!\d)", target))
