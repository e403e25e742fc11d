"""Normalise every input text: typed, piped, uploaded, or read from a corpus.

Texts that look the same become the same. Typographic quotes, dashes, ellipses and spaces become
plain signs. Compatibility forms (ligatures, full width) become plain letters. Invisible characters
are left out. A sentence all in capitals becomes lower-case. The rules for characters follow from
properties in the Unicode database, which comes with Python.

Source: Unicode Standard Annex 15 (normalisation forms), Annex 44 (categories, decompositions).
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

# Unicode tags of characters whose plain form has the same meaning. The tags of x² and ½ are left
# out, because x2 and 1/2 have a different meaning.
_PLAIN_FORMS = frozenset(
    {
        "circle",
        "compat",
        "final",
        "font",
        "initial",
        "isolated",
        "medial",
        "narrow",
        "noBreak",
        "small",
        "square",
        "wide",
    }
)

# Unicode names of characters that people type as an apostrophe. The triple prime is left out: it
# decomposes into three primes, which are replaced separately.
_APOSTROPHE = re.compile(r".*(?:APOSTROPHE|(?<!PLE )PRIME)")
_APOSTROPHE_ENDINGS = ("ACUTE ACCENT", "GRAVE ACCENT", "TURNED COMMA", "REVERSED COMMA", "SALTILLO")

# manythings.org puts the licence and the authors into the third column of each line.
_ATTRIBUTION = re.compile(r"CC\S* .*tatoeba\.org.*")
_WORD = re.compile(r"[^\W\d_]{2,}")  # of at least two letters: "I" and "A" are always capitals

# Most lines of a corpus match this pattern and need no normalisation. The pattern only saves time.
_PLAIN_TEXT = re.compile(r"[!-_a-~À-ÖØ-öø-ÿŒœ]+(?: [!-_a-~À-ÖØ-öø-ÿŒœ]+)*")

# Python needs n² steps to sort n combining marks on one letter. No language uses more than a few
# marks (Unicode Annex 15, D4).
_MAX_MARKS = 30
_MAX_FAST_CHARACTERS = 1000  # ``is_normalized`` sorts the marks, too

Span = tuple[int, int]  # start and end in a text


@dataclass(frozen=True)
class NormalisedText:
    """A normalised text. Each character is mapped to a span of the typed text."""

    text: str  # in Unicode NFC, with single spaces between its words and none around it
    spans: tuple[Span, ...]  # of each of its characters, in the typed text

    def typed_span(self, start: int, end: int) -> Span:
        """Return the span of the typed text that became ``text[start:end]``."""
        if start >= end:
            position = self.spans[start][0] if start < len(self.spans) else 0
            return position, position
        return self.spans[start][0], self.spans[end - 1][1]


def normalise(text: str) -> str:
    """Return the normal form of a text. The corpora are read in this form.

    >>> normalise("  «Ça va\\u202f?»  C’est\\u00ad moi\\u2026")
    '"Ça va ?" C\\'est moi...'
    >>> normalise("THE ﬁrst ＣＡＴ"), normalise("THE CAT IS BLACK."), normalise("NASA")
    ('THE first CAT', 'The cat is black.', 'NASA')
    """
    if _PLAIN_TEXT.fullmatch(text):
        return _without_all_capitals(text)
    return normalise_with_spans(text).text


def normalise_columns(line: str) -> list[str]:
    """Split a line at its TABs; return the normalised columns without the attribution.

    >>> normalise_columns("Hi.\\tSalut !\\tCC-BY 2.0 (France) Attribution: tatoeba.org #538123")
    ['Hi.', 'Salut !']
    """
    columns = line.split("\t")
    return [normalise(column) for column in columns if not _ATTRIBUTION.match(column.strip())]


def normalise_with_spans(text: str) -> NormalisedText:
    """Normalise a text, and map each of its characters to a span of the typed text."""
    chinese = any(map(_is_han, text))
    if _is_normal(text, chinese=chinese):
        spans = tuple((i, i + 1) for i in range(len(text)))
        return NormalisedText(_without_all_capitals(text), spans)

    plain: list[tuple[str, Span]] = []
    for composed, span in _composed(text):
        signs = "".join(plain_of(character, chinese=chinese) for character in composed)
        plain += [(sign, span) for sign in signs]
    plain = list(_single_spaces(_without_inner_spaces(plain, text)))

    normal = "".join(sign for sign, _ in plain)
    return NormalisedText(_without_all_capitals(normal), tuple(span for _, span in plain))


def _is_normal(text: str, *, chinese: bool) -> bool:
    """Return whether normalisation would change only capitals."""
    return (
        len(text) < _MAX_FAST_CHARACTERS
        and text == text.strip()
        and "  " not in text
        and unicodedata.is_normalized("NFC", text)
        and not any(is_invisible(c) or plain_of(c, chinese=chinese) != c for c in set(text))
    )


def _composed(text: str) -> Iterator[tuple[str, Span]]:
    """Yield the visible characters in NFC, each with its span in the typed text."""
    visible = [(c, i) for i, c in enumerate(text) if not is_invisible(c)]
    # A character and its combining marks are composed together. So are characters that NFC joins.
    start = 0
    for end in range(1, len(visible) + 1):
        at_end = end == len(visible)
        if not at_end and end - start < _MAX_MARKS and unicodedata.combining(visible[end][0]):
            continue
        characters = "".join(c for c, _ in visible[start:end])
        if at_end or not _composes(characters, visible[end][0]):
            span = (visible[start][1], visible[end - 1][1] + 1)
            yield unicodedata.normalize("NFC", characters), span
            start = end


def _composes(before: str, character: str) -> bool:
    """Return whether NFC joins a character to the text before it, as in 한."""
    separate = unicodedata.normalize("NFC", before) + unicodedata.normalize("NFC", character)
    return unicodedata.normalize("NFC", before + character) != separate


@lru_cache(maxsize=4096)
def is_invisible(character: str) -> bool:
    """Return whether a character is invisible: format, control, variation selector or filler.

    White space is not invisible.
    """
    if character.isspace():
        return False
    if unicodedata.category(character) in ("Cc", "Cf"):
        return True
    name = unicodedata.name(character, "")
    return name.startswith("VARIATION SELECTOR") or name.endswith((" FILLER", "GRAPHEME JOINER"))


@lru_cache(maxsize=4096)
def plain_of(character: str, *, chinese: bool) -> str:
    """Return the plain form of one visible character; it may have several characters.

    Args:
        character: in NFC.
        chinese: whether the text holds Chinese characters. Beside them ，！？ keep their width.
    """
    category = unicodedata.category(character)
    name = unicodedata.name(character, "")
    if character.isspace() or category[0] == "Z":
        return " "
    if category == "Cs":  # a lone half of a surrogate pair
        return "\ufffd"
    is_sign = category[0] in "PS" or category == "Lm" or name.endswith("SALTILLO")
    if is_sign and (sign := _plain_sign(category, name, chinese=chinese)):
        return sign

    # the decomposition of Ａ, for example, is "<wide> 0041"
    tag, _, code_points = unicodedata.decomposition(character).partition(" ")
    if not tag.startswith("<") or tag.strip("<>") not in _PLAIN_FORMS:
        return character
    first = chr(int(code_points.split()[0], 16))
    if unicodedata.category(first) in ("Zs", "Mn"):  # a lone accent, or Thai am
        return character
    if chinese and category[0] in "PS" and tag in ("<wide>", "<small>"):
        return character
    compatible = unicodedata.normalize("NFKC", character)
    plain = "".join(plain_of(c, chinese=chinese) for c in compatible)
    return f" {plain} " if tag == "<circle>" else plain


def _plain_sign(category: str, name: str, *, chinese: bool) -> str:
    """Return the plain quote, apostrophe or dash for a character; "" for other characters.

    Args:
        category: of the character in the Unicode database, such as "Pd" for a dash.
        name: of the character in the Unicode database.
        chinese: whether the text holds Chinese characters. Beside them 「」 and 《》 stay.
    """
    if "QUOTATION MARK" in name:
        return "'" if "SINGLE" in name else '"'
    if name.endswith(("CORNER BRACKET", "DOUBLE ANGLE BRACKET")) and not chinese:
        return '"'
    if _APOSTROPHE.fullmatch(name):
        return '"' if "DOUBLE" in name else "'"
    if name.endswith((*_APOSTROPHE_ENDINGS, "LETTER VERTICAL LINE")):
        return "'"
    if name == "MIDLINE HORIZONTAL ELLIPSIS":
        return "..."
    if name in ("EM DASH", "HORIZONTAL BAR"):
        return " - "
    if category == "Pd" or name == "MINUS SIGN":
        return "-"
    return ""


def _without_inner_spaces(plain: list[tuple[str, Span]], text: str) -> list[tuple[str, Span]]:
    """Remove the spaces inside French quotes: « oui » becomes "oui".

    Args:
        plain: plain characters, each with its span in ``text``.
        text: as it was typed.
    """

    def was_typed(n: int, quote: str) -> bool:
        return 0 <= n < len(plain) and text[plain[n][1][0]] == quote

    return [
        (sign, span)
        for n, (sign, span) in enumerate(plain)
        if sign != " " or not (was_typed(n - 1, "«") or was_typed(n + 1, "»"))
    ]


def _single_spaces(plain: list[tuple[str, Span]]) -> Iterator[tuple[str, Span]]:
    """Replace each run of spaces by one space, and remove leading and trailing spaces."""
    runs = [(is_space, list(run)) for is_space, run in groupby(plain, lambda item: item[0] == " ")]
    for n, (is_space, run) in enumerate(runs):
        if not is_space:
            yield from run
        elif 0 < n < len(runs) - 1:
            first_span = run[0][1]
            last_span = run[-1][1]
            yield " ", (first_span[0], last_span[1])


def _without_all_capitals(text: str) -> str:
    """Convert an all-capitals sentence to lower case, without changing its length.

    A single word stays, since it may be an acronym, and so does a text with Chinese characters.
    """
    if not text.isupper() or len(_WORD.findall(text)) < 2 or any(map(_is_han, text)):
        return text
    small = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    small = re.sub(r"\bi\b", "I", small)
    first = next(i for i, c in enumerate(small) if c.isalpha())
    return small[:first] + small[first].upper() + small[first + 1 :]


def _is_han(character: str) -> bool:
    """Return whether a character is Chinese or Japanese, so that its punctuation is full-width."""
    return unicodedata.name(character, "").startswith(("CJK UNIFIED", "HIRAGANA", "KATAKANA"))
