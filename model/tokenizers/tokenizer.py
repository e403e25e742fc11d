"""The interface of all tokenizers: convert text to token ids and back.

There are two kinds: ``model.tokenizers.byte_level``, which is trained here, and
``model.hub.tokenizer`` for the models of the Hub.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal, NotRequired, TypedDict

from model.corpora.plain_text import Span

Side = Literal["source", "target"]  # input of the encoder; input and output of the decoder
PAD, BOS, EOS, UNK = "<pad>", "<bos>", "<eos>", "<unk>"
START, END = "<s>", "</s>"  # BOS and EOS, as SentencePiece spells them
SPECIALS = frozenset({PAD, BOS, EOS, UNK, START, END})
ENDS = frozenset({EOS, END})
# Special tokens that name a language: __fr__ of M2M100, fr_XX of mBART, fra_Latn of NLLB.
LANGUAGE = re.compile("__[a-z]{2,3}__|[a-z]{2,3}_[A-Z][A-Za-z]{1,3}")
# A subword of bytes that do not form whole characters, such as "<F0 9F>".
BYTES_SUBWORD = re.compile(r"<[0-9A-F]{2}(?: [0-9A-F]{2})*>")


@dataclass(frozen=True)
class Token:
    """One subword, and its span ``text[start:end]`` in the typed text.

    Subwords that are bytes of one character share its span. The span of BOS and EOS is empty.
    """

    id: int  # its row in the embedding
    text: str  # begins with a space if it begins a word; ``<F0>`` for a byte of a character
    start: int
    end: int


class SpecialIds(TypedDict):
    """The special ids that decoding needs, keyed by its argument names."""

    pad_id: int
    bos_id: int
    eos_id: int
    # further tokens that end a translation; some models of the Hub have them
    other_eos_ids: NotRequired[tuple[int, ...]]
    # the first token that the decoder must write, such as the target language of a Hub model
    first_id: NotRequired[int | None]


def end_ids(special_ids: SpecialIds) -> tuple[int, ...]:
    """Return the ids of all tokens that end a translation.

    >>> end_ids({"pad_id": 0, "bos_id": 1, "eos_id": 2, "other_eos_ids": (5, 7)})
    (2, 5, 7)
    """
    return special_ids["eos_id"], *special_ids.get("other_eos_ids", ())


class Tokenizer(ABC):
    """Splits texts into subwords. Each side of a translation may have its own vocabulary."""

    pad_id: int  # fills up a batch
    bos_id: int  # the first input of the decoder; in some models it is the same as ``pad_id``
    eos_id: int  # ends a text of either side
    unk_id: int  # for text that the vocabulary cannot spell
    prefix: str = ""  # read before every source, such as ">>fra<< "
    vocab_size: int  # V, the size of the target vocabulary
    src_vocab_size: int

    @abstractmethod
    def save(self, path: str | Path) -> None:
        """Write ``tokenizer.json``, completely or not at all.

        Raises:
            OSError: the disk is full.
        """

    @abstractmethod
    def max_characters(self, n_tokens: int) -> int:
        """Return the maximum number of characters of a text with n tokens.

        A longer text can be refused before it is split, which may take long.
        """

    @abstractmethod
    def encode(self, text: str, side: Side = "source") -> list[Token]:
        """Return the subwords of a text with EOS at the end; a target also begins with BOS."""

    def _tokens(self, ids: list[int], spans: Sequence[Span], text: str, side: Side) -> list[Token]:
        """Make tokens from ids and their spans in the text.

        Args:
            ids: of the subwords, with EOS at the end and perhaps BOS at the beginning.
            spans: of the subwords without BOS and EOS, in ``text``.
            text: as it was typed.
            side: of the translation.
        """
        token_spans = [*without_gaps(spans, len(text)), (0, 0)]  # the last span belongs to EOS
        if len(token_spans) < len(ids):
            token_spans.insert(0, (0, 0))  # BOS
        return [
            Token(id, self.subword(id, side), start, end)
            for id, (start, end) in zip(ids, token_spans, strict=True)
        ]

    def encode_ids(self, texts: Sequence[str], side: Side = "source") -> list[list[int]]:
        """Return the ids of many texts, without spans."""
        return [[token.id for token in self.encode(text, side)] for text in texts]

    @abstractmethod
    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of target ids, without special tokens."""

    @abstractmethod
    def word_ids(self, ids: Sequence[int], side: Side) -> list[int | None]:
        """Return the word index, from 0, of each id of a sentence.

        ``model.tokenizers.byte_level.pre_tokenizer`` splits the text into these words: a word, a
        clitic (``l'``, ``'t``, ``-vous``), a digit or a punctuation mark. Special tokens have None.
        """

    @abstractmethod
    def subword(self, id: int, side: Side = "target") -> str:
        """Return the text of one id: ``" dog"``, ``"ing"``, ``"<eos>"``, ``"<F0>"``."""

    @cached_property
    def characters(self) -> frozenset[str]:
        """All characters in the subwords of the source vocabulary, except single bytes."""
        subwords = (self.subword(id, "source") for id in range(self.src_vocab_size))
        texts = (s for s in subwords if s not in SPECIALS and not BYTES_SUBWORD.search(s))
        return frozenset("".join(texts))

    @property
    def codes(self) -> tuple[str, ...]:
        """The target languages that a source can request with a code, such as ``>>fra<<``."""
        return ()

    @property
    def ends(self) -> tuple[str, str]:
        """The texts of BOS and EOS: ``<bos>`` and ``<eos>``, or ``<pad>`` and ``</s>``."""
        return self.subword(self.bos_id), self.subword(self.eos_id)

    @property
    def special_ids(self) -> SpecialIds:
        """``pad_id``, ``bos_id`` and ``eos_id`` as keyword arguments for decoding."""
        return {"pad_id": self.pad_id, "bos_id": self.bos_id, "eos_id": self.eos_id}


def is_special(token: str) -> bool:
    """Return whether a token is special: one of ``SPECIALS``, or a language name.

    >>> [is_special(token) for token in ("</s>", "fra_Latn", " dog")]
    [True, True, False]
    """
    return token in SPECIALS or LANGUAGE.fullmatch(token) is not None


def without_gaps(spans: Sequence[Span], length: int) -> list[Span]:
    """Return spans without overlaps or gaps, from 0 to the end of the text.

    A word after an elision begins after the apostrophe, although the space that the tokenizer
    inserts before the word has the span of the apostrophe. An accent that NFC joined to its letter
    belongs to the subword of the letter. Subwords that are bytes of one character go on sharing its
    span.

    Args:
        spans: of the subwords of a text, in order.
        length: characters of the text.
    """
    starts: list[int] = []
    previous_end = 0
    for start, end in spans:
        if not starts:
            starts.append(0)
        elif end <= previous_end:  # inside the previous span
            starts.append(starts[-1])
        else:
            starts.append(max(start, previous_end))
        previous_end = end

    # End each span where the next different span starts
    reversed_spans: list[Span] = []
    following = (length, length)
    for start in reversed(starts):
        end = following[1] if start == following[0] else following[0]
        following = (start, end)
        reversed_spans.append(following)
    return reversed_spans[::-1]
