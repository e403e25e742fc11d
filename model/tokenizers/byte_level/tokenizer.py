"""One joint byte-level BPE vocabulary for both languages.

Byte-level: whatever is typed has a spelling in the vocabulary; nothing is lost. Text is cut into
words, clitics (``'s``, ``l'``, ``-vous``), digits, punctuation and Chinese characters before BPE.

Source: Sennrich et al. 2016 (BPE); Radford et al. 2019, section 2.2 (bytes).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate, chain
from pathlib import Path
from typing import Any, Literal

import msgspec
from tokenizers import Tokenizer as Bpe
from tokenizers import pre_tokenizers, trainers

from model.files.json_file import MAX_JSON_BYTES, decode
from model.files.regular_file import read_regular
from model.files.replacing import write_text
from model.tokenizers.byte_level.pre_tokenizer import BY_ID, new_bpe
from model.tokenizers.tokenizer import Side, Token, Tokenizer

# The character by which GPT-2's byte-level BPE writes a byte: its own if printable, or from 256 on.
_ALPHABET = pre_tokenizers.ByteLevel.alphabet()
_UNPRINTABLE = [byte for byte in range(256) if chr(byte) not in _ALPHABET]
BYTE_OF = {c: ord(c) if ord(c) < 256 else _UNPRINTABLE[ord(c) - 256] for c in _ALPHABET}
_OF_NO_CHARACTER = re.compile("[\udc80-\udcff]")  # a byte, as ``surrogateescape`` writes it


class ByteLevelTokenizer(Tokenizer):
    """One vocabulary for both sides, the four special tokens among it."""

    def __init__(self, bpe: Bpe) -> None:
        self.bpe = bpe
        self.bpe.encode_special_tokens = True  # a typed "<eos>" is text, not the end
        vocab = bpe.get_vocab()
        self._special = [vocab[token] for token in BY_ID]
        self.pad_id, self.bos_id, self.eos_id, self.unk_id = self._special
        self.vocab_size = self.src_vocab_size = len(vocab)
        self._longest = max(map(len, vocab))  # bytes of the longest subword

    def __reduce__(self) -> tuple[type[ByteLevelTokenizer], tuple[Bpe]]:
        """Made anew in another process: the library does not hand on what is set above."""
        return ByteLevelTokenizer, (self.bpe,)

    @classmethod
    def train(cls, texts: Iterable[str], vocab_size: int) -> ByteLevelTokenizer:
        """Learn the merges from texts of both languages; V counts bytes and special tokens, too."""
        trainer = trainers.BpeTrainer(
            vocab_size=vocab_size,
            special_tokens=[*BY_ID],
            initial_alphabet=_ALPHABET,
            show_progress=False,
        )
        bpe = new_bpe()
        bpe.train_from_iterator(texts, trainer)
        return cls(bpe)

    @classmethod
    def load(cls, path: str | Path) -> ByteLevelTokenizer:
        """Read ``tokenizer.json``; ValueError if it is missing, broken or made in another way."""
        try:
            content = read_regular(path, MAX_JSON_BYTES)
            _check(content)
            return cls(Bpe.from_buffer(content))
        except Exception as error:  # the library raises bare Exception
            raise ValueError(f"cannot read the tokenizer {path}: {error}") from error

    def save(self, path: str | Path) -> None:
        write_text(Path(path), self.bpe.to_str(pretty=True))

    def most_characters(self, n_tokens: int) -> int:
        """No subword has more bytes than the longest one, and NFC leaves at least one byte for two
        characters."""
        return 2 * self._longest * n_tokens

    def encode(self, text: str, side: Side = "source") -> list[Token]:
        """BOS, the subwords of the text, EOS."""
        encoding = self.bpe.encode(text)
        return self._tokens(encoding.ids, encoding.offsets[1:-1], text, side)

    def encode_ids(self, texts: Sequence[str], side: Side = "source") -> list[list[int]]:  # noqa: ARG002
        return [encoding.ids for encoding in self.bpe.encode_batch_fast(list(texts))]

    def decode(self, ids: Sequence[int]) -> str:
        text: str = self.bpe.decode(list(ids), skip_special_tokens=True)
        return text.replace("\u2060", "").removeprefix(" ")

    def word_ids(self, ids: Sequence[int], side: Side) -> list[int | None]:  # noqa: ARG002
        """A byte that is part of no character counts as a letter."""
        spelled = ["" if id in self._special else str(self.bpe.id_to_token(id)) for id in ids]
        raw = bytes(BYTE_OF[character] for character in "".join(spelled))
        text = _OF_NO_CHARACTER.sub("x", raw.decode(errors="surrogateescape"))
        words = self.bpe.pre_tokenizer.pre_tokenize_str(text)
        ends = list(accumulate(len(word) for word, _ in words))
        starts = accumulate(map(len, spelled), initial=0)
        return [
            bisect_right(ends, start) if subword else None
            for subword, start in zip(spelled, starts, strict=False)
        ]

    def subword(self, id: int, side: Side = "target") -> str:  # noqa: ARG002
        token = str(self.bpe.id_to_token(id))
        if id in self._special:
            return token
        raw = bytes(BYTE_OF[character] for character in token)
        try:
            return raw.decode().removesuffix("\u2060")
        except UnicodeDecodeError:
            return f"<{raw.hex(' ').upper()}>"


class _Learned(msgspec.Struct, frozen=True):
    """The vocabulary in ``tokenizer.json``, and what its subwords are put together from."""

    vocab: dict[str, int]
    merges: list[tuple[str, str] | str]  # as "a b" before tokenizers 0.20
    type: Literal["BPE"]


def _check(content: bytes) -> None:
    """ValueError unless ``train`` made this ``tokenizer.json``; the message says where it differs.

    Only vocabulary and merges are learned. A file in which the rest is not as in all, how a text
    is made uniform and cut, would translate wrongly, without a word about it.
    """
    values = decode(content, dict[str, Any])
    learned = msgspec.convert(values.get("model"), _Learned)
    vocab = learned.vocab
    merges = [each.split(" ") if isinstance(each, str) else each for each in learned.merges]
    for id, token in enumerate(BY_ID):
        if vocab.get(token) != id:
            raise ValueError(f"its vocabulary lacks the special token {token} at number {id}")
    if sorted(vocab.values()) != list(range(len(vocab))):
        raise ValueError("its tokens are not numbered from 0 on")
    subwords = vocab.keys() - set(BY_ID)
    if not set(chain.from_iterable(subwords)) <= set(BYTE_OF) <= subwords:
        raise ValueError("its vocabulary is not made of the 256 bytes")
    if not all({*merge, "".join(merge)} <= subwords and len(merge) == 2 for merge in merges):
        raise ValueError("a merge makes a subword that its vocabulary lacks")
    values["model"] |= {"vocab": {}, "merges": []}
    for name, ours in _nothing_learned().items():
        if values.get(name) != ours:
            raise ValueError(f"its part {name!r} is not as model.train makes it")


def _nothing_learned() -> dict[str, Any]:
    """What is the same in every ``tokenizer.json``, as JSON values."""
    bpe = new_bpe()
    bpe.add_special_tokens([*BY_ID])
    return decode(bpe.to_str(), dict[str, Any])


def spelled_alike(
    one: ByteLevelTokenizer, other: ByteLevelTokenizer
) -> tuple[list[int], list[int]]:
    """The subwords that two vocabularies share: their ids in the one, and in the other."""
    ours, theirs = one.bpe.get_vocab(), other.bpe.get_vocab()
    shared = [subword for subword in ours if subword in theirs]
    return [ours[subword] for subword in shared], [theirs[subword] for subword in shared]
