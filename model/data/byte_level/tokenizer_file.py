"""Whether a ``tokenizer.json`` is one that ``ByteLevelTokenizer.train`` made.

Only vocabulary and merges are learned. All the rest is the same in every file: how a text is made
uniform and cut, that BOS and EOS are put round it, that nothing is cut off or filled up. A file in
which it is not would translate wrongly, without a word about it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import chain
from typing import Any, Literal

import msgspec

from model.files.json_file import decode


class _Learned(msgspec.Struct, frozen=True):
    """The vocabulary in ``tokenizer.json``, and what its subwords are put together from."""

    vocab: dict[str, int]
    merges: list[tuple[str, str] | str]  # as "a b" before tokenizers 0.20
    type: Literal["BPE"]


def check_tokenizer(
    content: bytes,
    ours: Iterable[Mapping[str, Any]],
    special: Collection[str],
    alphabet: Collection[str],
) -> None:
    """Compare a file with the way in which they are all made.

    Args:
        content: of the file.
        ours: tokenizers that have learned nothing, as JSON values; it should be like one of them.
        special: the special tokens, by id.
        alphabet: the characters that stand for the 256 bytes.

    Raises:
        ValueError: it is no JSON, or differs; the message says where.
    """
    values = decode(content, dict[str, Any])
    learned = msgspec.convert(values.get("model"), _Learned)
    vocab = learned.vocab
    merges = [each.split(" ") if isinstance(each, str) else each for each in learned.merges]
    for id, token in enumerate(special):
        if vocab.get(token) != id:
            raise ValueError(f"its vocabulary lacks the special token {token} at number {id}")
    if sorted(vocab.values()) != list(range(len(vocab))):
        raise ValueError("its tokens are not numbered from 0 on")
    subwords = vocab.keys() - set(special)
    if not set(chain.from_iterable(subwords)) <= set(alphabet) <= subwords:
        raise ValueError("its vocabulary is not made of the 256 bytes")
    if not all({*merge, "".join(merge)} <= subwords and len(merge) == 2 for merge in merges):
        raise ValueError("a merge makes a subword that its vocabulary lacks")
    if isinstance(values["model"], dict):
        values["model"] = values["model"] | {"vocab": {}, "merges": []}
    different = [[name for name in way if values.get(name) != way[name]] for way in ours]
    if all(different):
        name = min(different, key=len)[0]
        raise ValueError(f"its part {name!r} is not as model.train makes it")
