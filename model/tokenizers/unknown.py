"""What a model cannot know of a text, and what a translation should have copied and has not."""

import re
from collections.abc import Sequence

from model.corpora.chinese import space_out
from model.corpora.plain_text import normalise
from model.tokenizers.tokenizer import PART, UNK, Token, Tokenizer, code_asked

_SIGNS = re.compile(r"[@#&+_\\]|://|www\.")  # in no word of a language
_TIME = re.compile(r"\d{1,2}:\d\d")  # each language writes it in a way of its own
_AROUND = ".,;:!?\"'()[]，。！？；：、（）“”‘’「」《》"
_A_NUMBER = 3  # digits; a smaller one may be written as a word


def signs_unknown(tokenizer: Tokenizer, tokens: Sequence[Token], text: str) -> list[str]:
    """Signs of a text that are unknown, or bytes in all subwords, each once, as they are read."""
    cut = [t for t in tokens if t.text == UNK or PART.search(t.text)]
    found = [(normalise(text[t.start : t.end]), t.text == UNK) for t in cut]
    known = tokenizer.characters
    return list(dict.fromkeys(sign for sign, unk in found if unk or not set(sign) <= known))


def mostly_unknown(tokenizer: Tokenizer, tokens: Sequence[Token], text: str) -> bool:
    """Whether the vocabulary has no subword for most characters of a text."""
    unknown = set("".join(signs_unknown(tokenizer, tokens, text)).casefold())
    characters = "".join(normalise(text).casefold().split())
    return 2 * sum(each in unknown for each in characters) > len(characters)


def not_copied(source: str, target: str) -> list[str]:
    """Words of a source that stand in its translation otherwise than in it, or not at all.

    Only numbers of at least three digits, and words with a sign such as @ or +, that no language
    translates.

    >>> not_copied("C++ sold 1,250 copies in 1999.", "Le C a vendu 1 250 copies en 19990.")
    ['C++', '1999']
    """
    plain = space_out(source.removeprefix(code_asked(source) or ""))
    words = dict.fromkeys(word.strip(_AROUND) for word in plain.split())
    return [word for word in words if not _stands_in(word, target)]


def _stands_in(word: str, target: str) -> bool:
    if _SIGNS.search(word) and any(map(str.isalnum, word)):
        return word in target
    digits = re.findall(r"\d", word)
    if len(digits) < _A_NUMBER or _TIME.match(word):
        return True
    grouped = r"\W?".join(digits)
    return bool(re.search(rf"(?<!\d){grouped}(?!\d)", target))
