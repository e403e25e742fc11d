"""The one way in for text: what people paste becomes what the corpora are written in.

Whatever is typed, piped, uploaded, trained on, scored or aligned passes here first. What looks
alike reads alike: typographic quotes, dashes, ellipses and spaces as the plain signs, compatibility
forms (ligatures, full width) as plain letters; what is invisible is not there. All rules are
properties in the Unicode database, which Python brings.

Source: Unicode Standard Annex 15 (normalisation forms), Annex 44 (categories, decompositions).
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

# Compatibility forms whose plain form says the same. Not among them: x² and ½, which as x2 and 1/2
# would say something else.
_PLAIN_FORMS = {"compat", "wide", "narrow", "font", "noBreak", "small", "square"}
_PLAIN_FORMS |= {"isolated", "initial", "medial", "final", "circle"}
_APOSTROPHE = re.compile(r".*(?:APOSTROPHE|(?<!PLE )PRIME)")  # two or three primes come apart
_APOSTROPHES = ("ACUTE ACCENT", "GRAVE ACCENT", "TURNED COMMA", "REVERSED COMMA", "SALTILLO")
# What manythings.org writes into the third column of each line; who wrote it, and no translation.
_ATTRIBUTION = re.compile(r"CC\S* .*tatoeba\.org.*")
_WORD = re.compile(r"[^\W\d_]{2,}")  # one that has a case to tell: "I" and "A" have none

# Most lines of a corpus, which stay as they are: a short way through, and no other one.
_USUAL = re.compile(r"[!-_a-~À-ÖØ-öø-ÿŒœ]+(?: [!-_a-~À-ÖØ-öø-ÿŒœ]+)*")

# Python sorts n marks on one letter in n² steps; no language has more than a few (Annex 15, D4).
_MARKS, _SHORT = 30, 1000

Span = tuple[int, int]  # start and end in a text


@dataclass(frozen=True)
class Reading:
    """A text as it was read, and where each character of it stands in what was typed."""

    text: str  # in Unicode NFC, with single spaces between its words and none around it
    spans: tuple[Span, ...]  # of each of its characters, in the typed text

    def typed(self, start: int, end: int) -> Span:
        """Where characters ``start`` to ``end`` of ``text`` stand in what was typed."""
        if start >= end:
            at = self.spans[start][0] if start < len(self.spans) else 0
            return at, at
        return self.spans[start][0], self.spans[end - 1][1]


def read(text: str) -> str:
    """A text as the model and its corpora have it.

    >>> read("  «Ça va\\u202f?»  C’est\\u00ad moi\\u2026")
    '"Ça va ?" C\\'est moi...'
    >>> read("THE ﬁrst ＣＡＴ"), read("THE CAT IS BLACK."), read("NASA")
    ('THE first CAT', 'The cat is black.', 'NASA')
    """
    if _USUAL.fullmatch(text):
        return _small(text)
    return reading(text).text


def columns(line: str) -> list[str]:
    """The columns of a line, source TAB target TAB whatever else, read; without an attribution.

    >>> columns("Hi.\\tSalut !\\tCC-BY 2.0 (France) Attribution: tatoeba.org #538123 (CM)")
    ['Hi.', 'Salut !']
    """
    return [read(column) for column in line.split("\t") if not _ATTRIBUTION.match(column.strip())]


def reading(text: str) -> Reading:
    """The same with the place of every character."""
    chinese = any(map(_is_han, text))
    if _is_read(text, chinese=chinese):
        return Reading(_small(text), tuple((i, i + 1) for i in range(len(text))))
    signs = [
        (sign, span)
        for composed, span in _composed(text)
        for sign in "".join(plain_of(c, chinese=chinese) for c in composed)
    ]
    signs = list(_single_spaces(_without_inner_spaces(signs, text)))
    return Reading(_small("".join(sign for sign, _ in signs)), tuple(span for _, span in signs))


def _is_read(text: str, *, chinese: bool) -> bool:
    """Whether every character is read as it stands, as in most lines of a corpus."""
    return (
        len(text) < _SHORT
        and text == text.strip()
        and "  " not in text
        and unicodedata.is_normalized("NFC", text)
        and not any(is_invisible(c) or plain_of(c, chinese=chinese) != c for c in set(text))
    )


def _composed(text: str) -> Iterator[tuple[str, Span]]:
    """Visible characters in NFC, each with the place of all that it was composed of."""
    seen = [(c, i) for i, c in enumerate(text) if not is_invisible(c)]
    begin = 0
    for end in range(1, len(seen) + 1):
        if end < len(seen) and end - begin < _MARKS and unicodedata.combining(seen[end][0]):
            continue
        whole = "".join(c for c, _ in seen[begin:end])
        if end == len(seen) or not _joins(whole, seen[end][0]):
            yield unicodedata.normalize("NFC", whole), (seen[begin][1], seen[end - 1][1] + 1)
            begin = end


def _joins(before: str, character: str) -> bool:
    """Whether a character composes with those before it, as the parts of 한 do."""
    apart = unicodedata.normalize("NFC", before) + unicodedata.normalize("NFC", character)
    return unicodedata.normalize("NFC", before + character) != apart


@lru_cache(maxsize=4096)
def is_invisible(character: str) -> bool:
    """Format and control characters, variation selectors, fillers; no white space."""
    if character.isspace():
        return False
    if unicodedata.category(character) in ("Cc", "Cf"):
        return True
    name = unicodedata.name(character, "")
    return name.startswith("VARIATION SELECTOR") or name.endswith((" FILLER", "GRAPHEME JOINER"))


@lru_cache(maxsize=4096)
def plain_of(character: str, *, chinese: bool) -> str:
    """What is read for one visible character; among Chinese ones，！？ stay as wide as they are."""
    category, name = unicodedata.category(character), unicodedata.name(character, "")
    if character.isspace() or category[0] == "Z":
        return " "
    if category == "Cs":  # half a character
        return "\ufffd"
    is_sign = category[0] in "PS" or category == "Lm" or name.endswith("SALTILLO")
    if is_sign and (sign := _plain_sign(category, name, chinese=chinese)):
        return sign
    tag, _, form = unicodedata.decomposition(character).partition(" ")
    if tag.strip("<>") not in _PLAIN_FORMS or not tag.startswith("<"):
        return character
    if unicodedata.category(chr(int(form.split()[0], 16))) in ("Zs", "Mn"):  # an accent; Thai am
        return character
    if chinese and category[0] in "PS" and tag in ("<wide>", "<small>"):
        return character
    plain = (plain_of(c, chinese=chinese) for c in unicodedata.normalize("NFKC", character))
    return f" {''.join(plain)} " if tag == "<circle>" else "".join(plain)


def _plain_sign(category: str, name: str, *, chinese: bool) -> str:
    """The plain quote, apostrophe or dash that a sign stands for by its name, or nothing."""
    if "QUOTATION MARK" in name:
        return "'" if "SINGLE" in name else '"'
    if name.endswith(("CORNER BRACKET", "DOUBLE ANGLE BRACKET")) and not chinese:
        return '"'
    if _APOSTROPHE.fullmatch(name):
        return '"' if "DOUBLE" in name else "'"
    if name.endswith((*_APOSTROPHES, "LETTER VERTICAL LINE")):
        return "'"
    if name == "MIDLINE HORIZONTAL ELLIPSIS":
        return "..."
    if name in ("EM DASH", "HORIZONTAL BAR"):
        return " - "
    return "-" if category == "Pd" or name == "MINUS SIGN" else ""


def _without_inner_spaces(signs: list[tuple[str, Span]], text: str) -> list[tuple[str, Span]]:
    """The quotes of "« oui »" hold spaces that those of '"oui"' do not."""

    def stands_at(n: int, quote: str) -> bool:
        return 0 <= n < len(signs) and text[signs[n][1][0]] == quote

    return [
        sign
        for n, sign in enumerate(signs)
        if sign[0] != " " or not (stands_at(n - 1, "«") or stands_at(n + 1, "»"))
    ]


def _single_spaces(signs: list[tuple[str, Span]]) -> Iterator[tuple[str, Span]]:
    """Every run of spaces as one, none at the ends."""
    runs = [(space, list(run)) for space, run in groupby(signs, lambda s: s[0] == " ")]
    for n, (space, run) in enumerate(runs):
        if not space:
            yield from run
        elif 0 < n < len(runs) - 1:
            yield " ", (run[0][1][0], run[-1][1][1])


def _small(text: str) -> str:
    """A sentence of capitals in small letters, as long as it was; one word may be an acronym."""
    if not text.isupper() or len(_WORD.findall(text)) < 2 or any(map(_is_han, text)):
        return text
    small = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    first = next(i for i, c in enumerate(small) if c.isalpha())
    small = re.sub(r"\bi\b", "I", small)
    return small[:first] + small[first].upper() + small[first + 1 :]


def _is_han(character: str) -> bool:
    return unicodedata.name(character, "").startswith(("CJK UNIFIED", "HIRAGANA", "KATAKANA"))
