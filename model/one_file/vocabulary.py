"""A tokenizer as the tables that ``tokenizer.js`` reads: vocabulary, merges, patterns, signs."""

import json
import sys
import unicodedata
from functools import cache
from typing import Any

from model.corpora.plain_text import is_invisible, plain_of
from model.tokenizers.byte_level.tokenizer import BYTE_OF, ByteLevelTokenizer

# Oniguruma's words in those of JavaScript, with the flag v.
_SCRIPTS = {r"\p{Han}": r"\p{Script=Han}", r"\p{Latin}": r"\p{Script=Latin}", "[ -]": r"[ \-]"}


def pack_vocabulary(tokenizer: ByteLevelTokenizer) -> dict[str, Any]:
    """All that reading and cutting a text needs, as JSON values."""
    values = json.loads(tokenizer.bpe.to_str())
    vocab, merges = values["model"]["vocab"], values["model"]["merges"]
    replaced = values["normalizer"]["normalizers"]
    plain, in_chinese, invisible = _signs()
    return {
        "tokens": sorted(vocab, key=vocab.__getitem__),
        "bytes": sorted(BYTE_OF, key=BYTE_OF.__getitem__),
        "merges": [each if isinstance(each, str) else " ".join(each) for each in merges],
        "normalizer": [_replacement(one) for one in replaced if one["type"] != "NFC"],
        "words": _pattern(values["pre_tokenizer"]["pretokenizers"][0]["pattern"]),
        "decoder": [_replacement(o) for o in values["decoder"]["decoders"] if "pattern" in o],
        "special": dict(tokenizer.special_ids) | {"unk_id": tokenizer.unk_id},
        "plain": plain,
        "in_chinese": in_chinese,
        "invisible": invisible,
    }


@cache
def _signs() -> tuple[list[tuple[str, str]], list[tuple[str, str]], list[str]]:
    """Characters that are read as others; as what, where not the same, in Chinese; unread ones."""
    plain, in_chinese, invisible = [], [], []
    for c in map(chr, range(sys.maxunicode + 1)):
        if unicodedata.category(c) in ("Cn", "Co", "Cs"):  # no character, or half of one
            continue
        if is_invisible(c):
            invisible.append(c)
        elif (read := plain_of(c, chinese=False)) != c:
            plain.append((c, read))
            if (other := plain_of(c, chinese=True)) != read:
                in_chinese.append((c, other))
    return plain, in_chinese, invisible


def _pattern(pattern: dict[str, str]) -> str:
    """A regular expression, or a text that stands for itself."""
    if "String" in pattern:
        return "".join(f"\\u{{{ord(c):x}}}" for c in pattern["String"])
    found = pattern["Regex"]
    for theirs, ours in _SCRIPTS.items():
        found = found.replace(theirs, ours)
    return found


def _replacement(one: dict[str, Any]) -> tuple[str, str]:
    if one["type"] == "Prepend":
        return "^(?=[^])", one["prepend"]
    return _pattern(one["pattern"]), one["content"]
