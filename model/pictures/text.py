"""Properties of a text in a picture: its language, its direction and its width."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Literal

from model.tokenizers.tokenizer import is_special

_TAGS = {"zh": "zh-Hans"}  # for languages whose code does not name the script
# Codes of bytes and characters. Their letters do not count as text.
_CODES = re.compile(r"0x[0-9A-F]+|U\+[0-9A-F]+")

# Character widths relative to the font size, in DejaVu Sans, the widest font of the app.
_WIDTH = 0.64
_NARROW_WIDTH = 0.4
_NARROW_CHARACTERS = frozenset("fijlrtI.,;:!|'’·()[] ")
_BROAD_WIDTH = 0.97
_BROAD_CHARACTERS = frozenset("mwMW@%—…")

_JOINER = "\u200d"  # zero width joiner


def language_tag(language: str | None) -> str:
    """Return the value of the attribute ``lang``; "" if the language is not known.

    >>> language_tag("zh"), language_tag("fr"), language_tag(None)
    ('zh-Hans', 'fr', '')
    """
    return _TAGS.get(language, language) if language else ""


def direction(labels: Iterable[str]) -> Literal["ltr", "rtl"]:
    """Return the direction of most letters. One foreign name does not change it.

    Args:
        labels: tokens, as ``tokens.display`` writes them. Special tokens do not count.

    Returns:
        ``"rtl"`` for Hebrew, Arabic and others that are read from the right; otherwise ``"ltr"``,
        also where there are no letters.

    Source: Unicode Standard Annex #9, the strong types of characters.

    >>> [direction(labels) for labels in (["<bos>", "Anna", "גרה", "בתל", "אביב"], ["12", "a"])]
    ['rtl', 'ltr']
    """
    texts = [label for label in labels if not is_special(label) and not _CODES.fullmatch(label)]
    types = [unicodedata.bidirectional(character) for text in texts for character in text]
    n_from_right = types.count("R") + types.count("AL")
    n_from_left = types.count("L")
    return "rtl" if n_from_right > n_from_left else "ltr"


def within_line(text: str) -> str:
    """Return a text that cannot change the direction of the left-to-right line around it.

    A text that is read from the right gets two marks after its last character: one of its own
    direction, and one of the line's. Otherwise two such texts with an arrow between them would be
    shown in the wrong order.
    """
    return f"{text}\u200f\u200e" if direction([text]) == "rtl" else text


def text_width(text: str, font: int) -> float:
    """Estimate the width of a text in pixels, for a font size of ``font`` pixels.

    >>> text_width("ill", 10) < text_width("head", 10) < text_width("注意力头", 10) == 40
    True
    """
    return font * sum(map(_character_width, text))


def max_text_width(texts: Iterable[str], font: int) -> float:
    """Estimate the width in pixels of the widest text; see ``text_width``."""
    return max(text_width(text, font) for text in texts)


def shortened(text: str, max_graphemes: int) -> str:
    """Return a text of at most ``max_graphemes`` graphemes; a longer text ends in an ellipsis.

    >>> shortened("नमस्ते", 4), shortened("नमस्ते", 3)
    ('नमस्ते', 'नम…')
    """
    all_graphemes = [*graphemes(text)]
    if len(all_graphemes) <= max_graphemes:
        return text
    return "".join(all_graphemes[: max_graphemes - 1]) + "…"


def graphemes(text: str) -> Iterator[str]:
    """Yield each character together with its combining marks and joined characters."""
    grapheme = ""
    for character in text:
        is_mark = unicodedata.category(character)[0] == "M"
        is_joined = character == _JOINER or grapheme.endswith(_JOINER)
        if grapheme and not (is_mark or is_joined):
            yield grapheme
            grapheme = ""
        grapheme += character
    if grapheme:
        yield grapheme


def _character_width(character: str) -> float:
    """Estimate the width of a character relative to the font size."""
    if unicodedata.category(character) in ("Mn", "Me"):  # marks above, below and around
        return 0.0
    if unicodedata.east_asian_width(character) in "WF":  # Chinese, Japanese, Korean syllables
        return 1.0
    if character in _BROAD_CHARACTERS:
        return _BROAD_WIDTH
    if character in _NARROW_CHARACTERS:
        return _NARROW_WIDTH
    return _WIDTH
