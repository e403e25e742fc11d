"""The tokenizer of a Marian model: pieces of SentencePiece, with ids from a list of its own.

The ids are not SentencePiece's: Marian numbers the pieces of both languages in one list, or in one
for each. A piece that this list lacks is unknown, also where SentencePiece knows it.

Source: Junczys-Dowmunt et al. 2018 (Marian); Kudo and Richardson 2018 (SentencePiece).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate, groupby
from pathlib import Path
from typing import Annotated, Any, Literal, TypedDict

import msgspec
import tokenizers
from msgspec import Meta

from model.data.byte_level.cutting import word_ends
from model.data.sentencepiece.spm_file import SPACE, UNKNOWN
from model.data.tokenizer import (
    END,
    PAD,
    UNK,
    Side,
    Span,
    Token,
    Tokenizer,
    code_asked,
    side_by_side,
)
from model.files.json_file import LARGEST, Count, Name, decode
from model.files.regular_file import read_regular
from model.files.replacing import write_text

_BYTE = re.compile("<0x([0-9A-F]{2})>")
_LETTER = "x"  # in place of what is unknown, when words are counted
_CODE = re.compile(">>[^<>]+<<")
_START = "<s>"  # of a text, in SentencePiece; Marian never writes it
UNUSED = "<unused {}>"  # a row that no piece has; those of SentencePiece have no spaces

Vocabulary = dict[Name, Annotated[int, Meta(ge=0, le=10**6)]]


class SentencePieceFile(TypedDict):
    """``tokenizer.json`` of a model from elsewhere.

    ``source`` and ``target`` cut a text into pieces: each a tokenizer of the library ``tokenizers``
    in its own JSON. ``vocab`` numbers the pieces, of both sides where ``src_vocab`` is None.
    """

    kind: Literal["sentencepiece"]
    source: dict[str, Any]
    target: dict[str, Any]
    vocab: Vocabulary
    src_vocab: Vocabulary | None
    pad_id: Count
    bos_id: Count


class SentencePieceTokenizer(Tokenizer):
    """Text to ids and back.

    Args:
        values: what ``tokenizer.json`` holds.

    Raises:
        ValueError: they do not fit together.
    """

    def __init__(self, values: SentencePieceFile) -> None:
        self._values = values
        self._source = _Vocabulary(values["src_vocab"] or values["vocab"])
        self._target = _Vocabulary(values["vocab"])
        self._cutters: Mapping[Side, tokenizers.Tokenizer] = {
            "source": tokenizers.Tokenizer.from_buffer(msgspec.json.encode(values["source"])),
            "target": tokenizers.Tokenizer.from_buffer(msgspec.json.encode(values["target"])),
        }
        added = self._cutters["target"].get_added_tokens_decoder().values()
        self._unsaid = {PAD, END, _START} | {token.content for token in added if token.special}
        vocabularies = [cutter.get_vocab() for cutter in self._cutters.values()]
        self._longest = max(max(map(len, vocabulary)) for vocabulary in vocabularies)
        self.pad_id, self.bos_id = values["pad_id"], values["bos_id"]
        self.eos_id, self.unk_id = self._target.ids[END], self._target.ids[UNK]
        self.vocab_size, self.src_vocab_size = self._target.size, self._source.size
        if self._source.ids[END] != self.eos_id:
            raise ValueError(f"{END} is not the same number in both vocabularies")
        if max(self.pad_id, self.bos_id) >= self.vocab_size or self.pad_id >= self.src_vocab_size:
            raise ValueError("the number of its padding or of its first token is in no vocabulary")

    @classmethod
    def load(cls, path: str | Path) -> SentencePieceTokenizer:
        """Read ``tokenizer.json``; ValueError if it is missing, broken or of another kind."""
        try:
            return cls(decode(read_regular(path, LARGEST), SentencePieceFile))
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # a panic of the library is no Exception
            raise ValueError(f"cannot read the tokenizer {path}: {error}") from error

    def save(self, path: str | Path) -> None:
        """Write ``tokenizer.json``, whole or not at all; OSError if the disk is full."""
        write_text(Path(path), msgspec.json.encode(self._values).decode())

    def most_characters(self, n_tokens: int) -> int:
        """As many as the longest pieces have: more than any sentence that somebody writes."""
        return n_tokens * self._longest

    def encode(self, text: str, side: Side = "source") -> list[Token]:
        """The pieces of a text, EOS last; a target begins with BOS.

        A language code at its beginning (``>>fra<<``) is a token of its own, as models for many
        languages want it.
        """
        pieces, places = self._cut(text, side)
        ids = [self._vocabulary(side).id(piece) for piece in pieces]
        tokens = [
            Token(id, self.subword(id, side), *place) for id, place in zip(ids, places, strict=True)
        ]
        bos, eos = (Token(id, self.subword(id, side), 0, 0) for id in (self.bos_id, self.eos_id))
        return [bos, *tokens, eos] if side == "target" else [*tokens, eos]

    def encode_ids(self, texts: Sequence[str], side: Side = "source") -> list[list[int]]:
        """Only the ids, of many texts at once."""
        return [[token.id for token in self.encode(text, side)] for text in texts]

    def decode(self, ids: Sequence[int]) -> str:
        """The text that these ids of the target spell, without special tokens.

        Where both sides share a vocabulary, Hugging Face joins with the source's model; what it
        knows of bytes decides, so it is done here too.
        """
        joiner: Side = "source" if self._values["src_vocab"] is None else "target"
        pieces = [self._target.piece(id) for id in ids]
        said = [piece for piece in pieces if piece not in self._unsaid and piece != UNK]
        return "".join(self._texts(said, joiner)).strip()

    def word_numbers(self, ids: Sequence[int], side: Side) -> list[int | None]:
        """Which word each piece begins in; None for special tokens.

        What is unknown counts as a letter.
        """
        pieces = [self._vocabulary(side).piece(id) for id in ids]
        said = [_LETTER if piece == UNK else piece for piece in pieces if piece not in self._unsaid]
        texts = self._texts(said, side)
        lasts = [end - 1 for end in accumulate(map(len, texts))]  # a byte that adds nothing: before
        starts = [last - max(len(text) - 1, 0) for text, last in zip(texts, lasts, strict=True)]
        ends = word_ends("".join(texts))
        numbers = iter([bisect_right(ends, start) for start in starts])
        return [None if piece in self._unsaid else next(numbers) for piece in pieces]

    def subword(self, id: int, side: Side = "target") -> str:
        """How one id reads on its own: ``" dog"``, ``"ing"``, ``"</s>"``, ``"<F0>"``."""
        piece = self._vocabulary(side).piece(id)
        if self._is_byte(piece, side):
            return f"<{piece[3:5]}>"
        return piece.replace(SPACE, " ")

    def _vocabulary(self, side: Side) -> _Vocabulary:
        return self._source if side == "source" else self._target

    @property
    def codes(self) -> tuple[str, ...]:
        """Of a model that writes several languages; one alone asks for nothing."""
        found = sorted(filter(_CODE.fullmatch, self._source.ids))
        return tuple(found) if len(found) > 1 else ()

    @property
    def unused(self) -> tuple[int, ...]:
        """Rows of the target's embedding that belong to no piece."""
        ids = self._target.ids
        return tuple(id for piece, id in ids.items() if piece == UNUSED.format(id))

    def _cut(self, text: str, side: Side) -> tuple[list[str], list[Span]]:
        """The pieces of a text, and where each stands in it."""
        code = code_asked(text) or ""
        n, cutter = len(code), self._cutters[side]
        found = cutter.encode(text[n:])
        typed = len(text) - len(text[n:].lstrip())  # where the first word begins
        spans = [(max(n + start, typed), max(n + end, typed)) for start, end in found.offsets]
        if found.tokens[:1] == [SPACE]:
            spans[0] = typed, typed  # the space that SentencePiece puts before a text
        first = [(0, n)] if code else []
        places = side_by_side([*first, *_by_sign(spans, text)], len(text))
        pieces = [  # what one side's model does not know, the vocabulary of both may have
            cutter.normalizer.normalize_str(text[start:end]).removeprefix(SPACE)
            if piece == UNKNOWN
            else piece
            for piece, (start, end) in zip([code] * bool(code) + found.tokens, places, strict=True)
        ]
        return pieces, places

    def _texts(self, pieces: Sequence[str], side: Side) -> list[str]:
        """What every piece adds to a text.

        The first byte of a character adds the character, the others nothing. A byte that belongs to
        none adds U+FFFD.
        """
        texts = []
        for in_bytes, run in groupby(pieces, key=lambda piece: self._is_byte(piece, side)):
            if in_bytes:
                texts += _of_bytes(bytes.fromhex("".join(piece[3:5] for piece in run)))
            else:
                texts += [piece.replace(SPACE, " ") for piece in run]
        return texts

    def _is_byte(self, piece: str, side: Side) -> bool:
        known = self._cutters[side].token_to_id(piece) is not None
        return known and _BYTE.fullmatch(piece) is not None


def _by_sign(spans: Sequence[Span], text: str) -> list[Span]:
    """Bytes of a run of unknown signs all have its place; here each has that of its own sign."""
    places = []
    for (start, end), run in groupby(spans):
        n = len(list(run))
        signs = [(at, at + 1) for at in range(start, end) for _ in text[at].encode()]
        places += signs if len(signs) == n else [(start, end)] * n
    return places


def _of_bytes(raw: bytes) -> list[str]:
    texts = []
    for sign in raw.decode(errors="surrogateescape"):
        n_bytes = len(sign.encode(errors="surrogateescape"))
        texts += ["\ufffd" if "\udc80" <= sign <= "\udcff" else sign, *[""] * (n_bytes - 1)]
    return texts


class _Vocabulary:
    """Pieces and their numbers."""

    def __init__(self, ids: Vocabulary) -> None:
        if missing := [name for name in (END, UNK) if name not in ids]:
            raise ValueError(f"its vocabulary lacks {' and '.join(missing)}")
        self.ids = ids
        self._pieces = {id: piece for piece, id in ids.items()}
        if len(self._pieces) < len(ids):
            raise ValueError("two pieces of its vocabulary have one number")
        self.size = 1 + max(self._pieces)

    def id(self, piece: str) -> int:
        """The number of a piece, or that of what is unknown."""
        return self.ids.get(piece, self.ids[UNK])

    def piece(self, id: int) -> str:
        """The piece of a number, ``<unk>`` for one that no piece has."""
        return self._pieces.get(id, UNK)
