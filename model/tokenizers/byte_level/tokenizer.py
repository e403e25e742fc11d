"""One joint byte-level BPE vocabulary for both languages.

Byte-level: every text has a spelling in the vocabulary, so nothing is lost. Before BPE a text is
split into words, clitics (``'s``, ``l'``, ``-vous``), digits, punctuation and Chinese characters.

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
from model.tokenizers.tokenizer import BOS, EOS, PAD, UNK, Side, Token, Tokenizer

# GPT-2's byte-level BPE writes each byte as one character. Printable bytes are written as
# themselves, all others as characters from number 256 on.
_ALPHABET = pre_tokenizers.ByteLevel.alphabet()
_UNPRINTABLE = [byte for byte in range(256) if chr(byte) not in _ALPHABET]
BYTE_OF = {c: ord(c) if ord(c) < 256 else _UNPRINTABLE[ord(c) - 256] for c in _ALPHABET}

# A byte outside a character, as the error handler ``surrogateescape`` decodes it.
_STRAY_BYTE = re.compile("[\udc80-\udcff]")


class ByteLevelTokenizer(Tokenizer):
    """A tokenizer with one vocabulary for both sides, including the four special tokens."""

    def __init__(self, bpe: Bpe) -> None:
        self.bpe = bpe
        self.bpe.encode_special_tokens = True  # a typed "<eos>" is text, not the end token
        vocab = bpe.get_vocab()
        self.pad_id = vocab[PAD]
        self.bos_id = vocab[BOS]
        self.eos_id = vocab[EOS]
        self.unk_id = vocab[UNK]
        self._special_ids = {self.pad_id, self.bos_id, self.eos_id, self.unk_id}
        self.vocab_size = len(vocab)
        self.src_vocab_size = len(vocab)
        self._max_subword_bytes = max(map(len, vocab))

    def __reduce__(self) -> tuple[type[ByteLevelTokenizer], tuple[Bpe]]:
        """Rebuild the tokenizer in another process; the library's pickle loses a setting."""
        return ByteLevelTokenizer, (self.bpe,)

    @classmethod
    def train(cls, texts: Iterable[str], vocab_size: int) -> ByteLevelTokenizer:
        """Learn the merges of BPE from texts.

        Args:
            texts: of both languages.
            vocab_size: V, with the 256 bytes and the special tokens.
        """
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
        """Read a tokenizer from ``tokenizer.json``.

        Raises:
            ValueError: it is missing or broken, or ``train`` did not make it.
        """
        try:
            content = read_regular(path, MAX_JSON_BYTES)
            _check(content)
            return cls(Bpe.from_buffer(content))
        except MemoryError:  # it says nothing of the file
            raise
        except Exception as error:  # the library raises bare Exception
            raise ValueError(f"cannot read the tokenizer {path}: {error}") from error

    def save(self, path: str | Path) -> None:
        write_text(Path(path), self.bpe.to_str(pretty=True))

    def max_characters(self, n_tokens: int) -> int:
        # NFC can join two characters to one, which has at least one byte.
        return 2 * self._max_subword_bytes * n_tokens

    def encode(self, text: str, side: Side = "source") -> list[Token]:
        """Return BOS, the subwords of the text, EOS."""
        encoding = self.bpe.encode(text)
        spans = encoding.offsets[1:-1]  # without the spans of BOS and EOS
        return self._tokens(encoding.ids, spans, text, side)

    def encode_ids(self, texts: Sequence[str], side: Side = "source") -> list[list[int]]:  # noqa: ARG002
        return [encoding.ids for encoding in self.bpe.encode_batch_fast(list(texts))]

    def decode(self, ids: Sequence[int]) -> str:
        text: str = self.bpe.decode(list(ids), skip_special_tokens=True)
        return text.replace("\u2060", "").removeprefix(" ")

    def word_ids(self, ids: Sequence[int], side: Side) -> list[int | None]:  # noqa: ARG002
        # 1. Decode the text. A stray byte counts as a letter
        subwords = ["" if id in self._special_ids else str(self.bpe.id_to_token(id)) for id in ids]
        raw = bytes(BYTE_OF[character] for character in "".join(subwords))
        text = _STRAY_BYTE.sub("x", raw.decode(errors="surrogateescape"))

        # 2. Find the end of each word in bytes, because the starts of the subwords are in bytes,
        # too
        words = self.bpe.pre_tokenizer.pre_tokenize_str(text)
        ends = list(accumulate(len(word) for word, _ in words))
        starts = accumulate(map(len, subwords), initial=0)

        # 3. Assign each subword to the first word that ends after its start
        return [
            bisect_right(ends, start) if subword else None
            for subword, start in zip(subwords, starts, strict=False)
        ]

    def subword(self, id: int, side: Side = "target") -> str:  # noqa: ARG002
        token = str(self.bpe.id_to_token(id))
        if id in self._special_ids:
            return token
        raw = bytes(BYTE_OF[character] for character in token)
        try:
            return raw.decode().removesuffix("\u2060")
        except UnicodeDecodeError:
            return f"<{raw.hex(' ').upper()}>"


class _LearnedPart(msgspec.Struct, frozen=True):
    """The section "model" of ``tokenizer.json``."""

    vocab: dict[str, int]  # subword -> id
    merges: list[tuple[str, str] | str]  # a string "a b" before tokenizers 0.20
    type: Literal["BPE"]


def _check(content: bytes) -> None:
    """Check that ``train`` made this ``tokenizer.json``.

    Only vocabulary and merges are learned. The rest says how a text is normalised and split. If it
    differs, the model translates wrongly without any error.

    Raises:
        ValueError: something differs; the message says what.
    """
    values = decode(content, dict[str, Any])
    learned = msgspec.convert(values.get("model"), _LearnedPart)
    vocab = learned.vocab
    merges = [merge.split(" ") if isinstance(merge, str) else merge for merge in learned.merges]

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

    values["model"]["vocab"] = {}
    values["model"]["merges"] = []
    for name, value in _values_without_learning().items():
        if values.get(name) != value:
            raise ValueError(f"its part {name!r} is not as model.train makes it")


def _values_without_learning() -> dict[str, Any]:
    """Return the values that every ``tokenizer.json`` has in common."""
    bpe = new_bpe()
    bpe.add_special_tokens([*BY_ID])
    return decode(bpe.to_str(), dict[str, Any])


def shared_subwords(
    first: ByteLevelTokenizer, second: ByteLevelTokenizer
) -> tuple[list[int], list[int]]:
    """Return the ids, in each vocabulary, of the subwords that both vocabularies share."""
    first_vocab = first.bpe.get_vocab()
    second_vocab = second.bpe.get_vocab()
    shared = [subword for subword in first_vocab if subword in second_vocab]
    first_ids = [first_vocab[subword] for subword in shared]
    second_ids = [second_vocab[subword] for subword in shared]
    return first_ids, second_ids
