"""Convert a tokenizer to tables for ``tokenizer.js``: vocabulary, merges, patterns, characters."""

import json
import sys
import unicodedata
from functools import cache
from typing import Any

from model.corpora.plain_text import is_invisible, plain_of
from model.tokenizers.byte_level.tokenizer import BYTE_OF, ByteLevelTokenizer

# Oniguruma pattern -> the equivalent JavaScript pattern with the flag v.
_PATTERNS = {r"\p{Han}": r"\p{Script=Han}", r"\p{Latin}": r"\p{Script=Latin}", "[ -]": r"[ \-]"}


def pack_vocabulary(tokenizer: ByteLevelTokenizer) -> dict[str, Any]:
    """Return all tables for normalising and splitting a text, as JSON values.

    Returns:
        ``tokens`` by id; ``bytes``, the character of each byte; ``merges`` in the order in which
        they were learned, the two parts with a space between them; ``normalizer`` and ``decoder``,
        patterns with their replacements; ``words``, the pattern of a word; ``special`` ids by name;
        ``plain`` and ``in_chinese``, pairs of a character and its plain form; ``invisible``
        characters.
    """
    values = json.loads(tokenizer.bpe.to_str())
    vocab = values["model"]["vocab"]
    merges = values["model"]["merges"]
    normalizers = values["normalizer"]["normalizers"]
    decoders = values["decoder"]["decoders"]
    word = values["pre_tokenizer"]["pretokenizers"][0]["pattern"]
    plain, in_chinese, invisible = _characters()
    return {
        "tokens": sorted(vocab, key=vocab.__getitem__),
        "bytes": sorted(BYTE_OF, key=BYTE_OF.__getitem__),
        "merges": [merge if isinstance(merge, str) else " ".join(merge) for merge in merges],
        "normalizer": [_replacement(step) for step in normalizers if step["type"] != "NFC"],
        "words": _pattern(word),
        "decoder": [_replacement(step) for step in decoders if "pattern" in step],
        "special": dict(tokenizer.special_ids) | {"unk_id": tokenizer.unk_id},
        "plain": plain,
        "in_chinese": in_chinese,
        "invisible": invisible,
    }


@cache
def _characters() -> tuple[list[tuple[str, str]], list[tuple[str, str]], list[str]]:
    """Return the normalised form of each character that normalisation changes.

    Returns:
        Characters with a plain form, each with this form; characters with a different plain form in
        Chinese texts, each with that form; characters that are left out.
    """
    plain = []
    in_chinese = []
    invisible = []
    for c in map(chr, range(sys.maxunicode + 1)):
        if unicodedata.category(c) in ("Cn", "Co", "Cs"):  # not a character, or half of a character
            continue
        if is_invisible(c):
            invisible.append(c)
        elif (read := plain_of(c, chinese=False)) != c:
            plain.append((c, read))
            if (other := plain_of(c, chinese=True)) != read:
                in_chinese.append((c, other))
    return plain, in_chinese, invisible


def _pattern(pattern: dict[str, str]) -> str:
    """Convert a pattern to a JavaScript regular expression."""
    if "String" in pattern:
        return "".join(f"\\u{{{ord(c):x}}}" for c in pattern["String"])
    expression = pattern["Regex"]
    for oniguruma, javascript in _PATTERNS.items():
        expression = expression.replace(oniguruma, javascript)
    return expression


def _replacement(step: dict[str, Any]) -> tuple[str, str]:
    """Return one step of a normaliser or a decoder: a JavaScript pattern and its replacement."""
    if step["type"] == "Prepend":
        return "^(?=[^])", step["prepend"]
    return _pattern(step["pattern"]), step["content"]
