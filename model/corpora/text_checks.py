"""Find texts that are unfit for training, translation or scoring.

Such a text is not as people write it: it still has the tags of a page, or it was cut into subwords
for another program. The same checks are made before a training run, in ``model.evaluate`` and on
the page *Many sentences*.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

Row = Sequence[str]  # the normalised columns of one line: source, targets

_MAX_SHARE = 0.02  # of the lines: a larger share gives a warning
_MAX_SHARE_OF_SPACED = 0.5  # the same, for ``_SPACED``
_MIN_COMMAS = 10  # sentences with a comma: with fewer, their quotes may be there by chance
_MAX_SHARE_OF_QUOTED = 0.7  # of the sentences with a comma, if those without one have fewer quotes
_MAX_EXAMPLE_CHARACTERS = 30

_TAG_NAMES = (
    "a|b|i|u|s|p|br|hr|em|strong|div|span|font|img|sub|sup|small|big|tt|code|pre|ul|ol|li|dl|dt|dd"
    "|table|tr|td|th|ruby|rt|rb|h[1-6]|seg|doc|hl|anki-mathjax|v|g|x|bpt|ept|ph"
)
_SIGNS = (  # name, and a regular expression that finds an example in a text
    ("tags", rf"</?(?:{_TAG_NAMES})(?:\s[^<>]*)?/?>"),
    ("entities", r"&(?:#\d+|#x[\da-f]+|[a-z]{2,6});"),
    ("escapes", r"\\u[\da-f]{4}|(?:%[\da-f]{2}){2,}|\w%20\w"),
    ("media", r"\[(?:sound|anki:play):[^\]]*\]"),
    ("cloze", r"\{\{c\d+::"),
    ("subwords", r"\S+@@(?=\s|$)"),
    ("pieces", r"▁\S*"),
    ("word_pieces", r"(?<=\s)##\w+"),
    ("joiners", r"\S*[￭■]\S*"),  # normalisation turns ￭ into ■
    ("word_ends", r"\S+</w>"),
    ("misread", r"Ã[^A-Za-z]|â€"),  # é, à and ’ in UTF-8, read as Windows-1252
)
_SPACED = (  # the same, for patterns that may be correct in a few lines
    ("tokenised", r"\w (?:,|\.$)"),
    ("spaced_chinese", r"[\u4e00-\u9fff]+ [\u4e00-\u9fff]+"),
)
TEXT_WARNINGS = {
    "tags": "it holds tags such as {example}: remove them",
    "entities": "it holds HTML entities such as {example}: write them as characters",
    "escapes": "it holds escapes such as {example}: write them as characters",
    "media": "it holds references to recordings such as {example}: remove them",
    "cloze": "it holds cloze deletions such as {example}: write the sentences without them",
    "subwords": "it is cut into subwords (@@), as in {example}: give the text as people write it",
    "pieces": "it is cut into pieces (▁), as in {example}: give the text as people write it",
    "word_pieces": "it is cut into pieces (##), as in {example}: give the text as people write it",
    "joiners": "it is cut into pieces (￭), as in {example}: give the text as people write it",
    "word_ends": "it is cut into pieces, as in {example}: give the text as people write it",
    "misread": (
        "it holds signs such as Ã©: UTF-8 text was read as Windows-1252. Save it again as UTF-8"
    ),
    "tokenised": (
        "there are spaces before its commas and full stops: give the text as people write it"
    ),
    "spaced_chinese": (
        "there are spaces between its Chinese words: give the text as people write it"
    ),
    "quoted_commas": "sentences with a comma are in quotes, as from Excel: remove the quotes",
    "header": "the first line is a header ({example}): remove it",
}

_TITLES = (
    "source|target|src|tgt|original|translation|reference|text|sentence|phrase|id|lang|front|back"
    "|language|en|eng|english|anglais|fr|fra|french|français|francais|zh|chinese|chinois"
)
_HEADER = re.compile(rf"(?:(?:{_TITLES}|[英中法原译][文语])[ _-]?\d?)+")


@dataclass(frozen=True)
class TextWarning:
    """A sign that a text is unusual, for example machine-made."""

    name: str  # a key of ``TEXT_WARNINGS``
    example: str = ""  # a part of the text

    def __str__(self) -> str:
        """Return the problem and its remedy as a clause of a message."""
        return TEXT_WARNINGS[self.name].format(example=self.example)


def text_warnings(rows: Sequence[Row]) -> list[TextWarning]:
    """Return signs that texts are unusual, for example machine-made; [] for normal texts.

    Args:
        rows: the lines, or a sample of them; the first line of the file is the first of them.

    >>> [str(warning) for warning in text_warnings([("It 's col@@ d", "Il fait froid")])]
    ['it is cut into subwords (@@), as in col@@: give the text as people write it']
    """
    if not rows:
        return []
    warnings = [*_signs(rows)]
    first = rows[0]
    if len(rows) > 1 and is_header(first):
        warnings.append(TextWarning("header", " TAB ".join(first)))
    return warnings


def is_header(texts: Row) -> bool:
    """Return whether these texts are the names of columns, such as English and French."""
    return all(_HEADER.fullmatch(text.strip().lower()) for text in texts)


def _signs(rows: Sequence[Row]) -> Iterator[TextWarning]:
    """Yield a warning for each sign in too many rows, and one for quotes around commas.

    The signs are those of ``_SIGNS`` and ``_SPACED``.
    """
    for signs, max_share in ((_SIGNS, _MAX_SHARE), (_SPACED, _MAX_SHARE_OF_SPACED)):
        for name, pattern in signs:
            matches = [_first_match(pattern, row) for row in rows]
            examples = [match for match in matches if match]
            if len(examples) > max_share * len(rows):
                yield TextWarning(name, examples[0][:_MAX_EXAMPLE_CHARACTERS])

    texts = [text for row in rows for text in row if text]
    with_comma = [text for text in texts if "," in text]
    without_comma = [text for text in texts if "," not in text]
    if len(with_comma) < _MIN_COMMAS or not without_comma:
        return
    if _share_of_quoted(with_comma) > _MAX_SHARE_OF_QUOTED > _share_of_quoted(without_comma):
        yield TextWarning("quoted_commas")


def _first_match(pattern: str, row: Row) -> str:
    """Return the first part of a row that matches a pattern; "" if there is none."""
    for text in row:
        if match := re.search(pattern, text, re.IGNORECASE):
            return match[0]
    return ""


def _share_of_quoted(texts: Sequence[str]) -> float:
    return sum(text[0] == text[-1] == '"' for text in texts) / len(texts)
