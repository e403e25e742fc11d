"""What every tokenizer does, whoever made it: text to ids and back.

There are two kinds: ``model.tokenizers.byte_level``, which is trained here, and
``model.tokenizers.sentencepiece``, which came with a model from elsewhere.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Literal, TypedDict

from model.corpora.plain_text import Span

Side = Literal["source", "target"]  # what the encoder reads; what the decoder reads and writes
PAD, BOS, EOS, UNK = "<pad>", "<bos>", "<eos>", "<unk>"
END = "</s>"  # EOS, as SentencePiece spells it
SPECIALS = frozenset({PAD, BOS, EOS, UNK, END})
ENDS = frozenset({EOS, END})
PART = re.compile(r"<[0-9A-F]{2}(?: [0-9A-F]{2})*>")  # bytes that are no character


@dataclass(frozen=True)
class Token:
    """One subword, which was typed as ``text[start:end]``.

    Bytes of one character share its place; BOS and EOS have none (``start == end``).
    """

    id: int  # its row in the embedding
    text: str  # a leading space where it begins a word, ``<F0>`` for a part of a character
    start: int
    end: int


class SpecialIds(TypedDict):
    """The ids that decoding needs, by the names of its arguments."""

    pad_id: int
    bos_id: int
    eos_id: int


class Tokenizer(ABC):
    """Each side of a translation may have its own vocabulary, so methods take the ``side``."""

    pad_id: int  # fills up a batch
    bos_id: int  # what the decoder reads first; in some models it is the same as ``pad_id``
    eos_id: int  # ends a text of either side
    unk_id: int  # stands for what has no spelling in the vocabulary
    vocab_size: int  # V, of the target
    src_vocab_size: int

    @abstractmethod
    def save(self, path: str | Path) -> None:
        """Write ``tokenizer.json``, whole or not at all; OSError if the disk is full."""

    @abstractmethod
    def most_characters(self, n_tokens: int) -> int:
        """No longer text fits into so many tokens: it is refused before it is cut."""

    @abstractmethod
    def encode(self, text: str, side: Side = "source") -> list[Token]:
        """The subwords of a text, EOS last; a target begins with BOS."""

    def _tokens(self, ids: list[int], spans: Sequence[Span], text: str, side: Side) -> list[Token]:
        """Of ids and the spans of all but BOS and EOS."""
        places = [*side_by_side(spans, len(text)), (0, 0)]
        places = [(0, 0)] * (len(ids) - len(places)) + places
        return [Token(i, self.subword(i, side), *at) for i, at in zip(ids, places, strict=True)]

    def encode_ids(self, texts: Sequence[str], side: Side = "source") -> list[list[int]]:
        """Only the ids, of many texts at once."""
        return [[token.id for token in self.encode(text, side)] for text in texts]

    @abstractmethod
    def decode(self, ids: Sequence[int]) -> str:
        """The text that these ids of the target spell, without special tokens."""

    @abstractmethod
    def word_ids(self, ids: Sequence[int], side: Side) -> list[int | None]:
        """For every id of a sentence the number of its word, from 0; None for special tokens.

        A word is what ``model.tokenizers.byte_level.pre_tokenizer`` makes of the text: a word, a
        clitic (``l'``, ``'t``, ``-vous``), a digit or a punctuation mark.
        """

    @abstractmethod
    def subword(self, id: int, side: Side = "target") -> str:
        """How one id reads on its own: ``" dog"``, ``"ing"``, ``"<eos>"``, ``"<F0>"``."""

    @cached_property
    def characters(self) -> frozenset[str]:
        """All that subwords of the source are spelled with; parts of characters are none."""
        subwords = (self.subword(id, "source") for id in range(self.src_vocab_size))
        return frozenset("".join(s for s in subwords if s not in SPECIALS and not PART.search(s)))

    @property
    def codes(self) -> tuple[str, ...]:
        """The languages that a source asks for at its beginning, such as ``>>fra<<``, if any."""
        return ()

    @property
    def ends(self) -> tuple[str, str]:
        """How BOS and EOS read, such as ``<bos>`` and ``<eos>``, or ``<pad>`` and ``</s>``."""
        return self.subword(self.bos_id), self.subword(self.eos_id)

    @property
    def special_ids(self) -> SpecialIds:
        """``pad_id``, ``bos_id`` and ``eos_id``, as decoding takes them."""
        return {"pad_id": self.pad_id, "bos_id": self.bos_id, "eos_id": self.eos_id}


def code_asked(text: str) -> str | None:
    """The language that a source asks for at its beginning; None without one.

    >>> code_asked(">>fra<< I see a cat.")
    '>>fra<<'
    """
    end = text.find("<<") if text.startswith(">>") else -1
    return None if end < 0 else text[: end + 2]


def side_by_side(spans: Sequence[Span], length: int) -> list[Span]:
    """The same spans without overlap or gap, from 0 to ``length``.

    A word after an elision begins behind the apostrophe, though its space was made of it. An
    accent that NFC put on its letter belongs to the letter's subword. Subwords of one character go
    on sharing its place.
    """
    starts: list[int] = []
    for before, span in pairwise([(0, 0), *spans]):
        inside = before[0] <= span[0] and span[1] <= before[1]  # of a space and a character
        shared = starts[-1:] if inside else []
        starts += shared or [max(span[0], before[1]) if starts else 0]
    placed, following = [], (length, length)
    for start in reversed(starts):
        following = (start, following[1] if start == following[0] else following[0])
        placed.append(following)
    return placed[::-1]
