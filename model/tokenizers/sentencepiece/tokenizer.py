"""The tokenizer of a Marian model: pieces of SentencePiece, with ids from a list of its own.

The ids are not SentencePiece's: Marian numbers the pieces of both languages in one list, or in one
for each. A piece that this list lacks is unknown, also where SentencePiece knows it.

Source: Junczys-Dowmunt et al. 2018 (Marian); Kudo and Richardson 2018 (SentencePiece).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Annotated, Literal, NotRequired, TypedDict

import msgspec
from msgspec import Meta

from model.files.json_file import Count, Name
from model.files.replacing import write_text
from model.tokenizers.byte_level.pre_tokenizer import word_ends
from model.tokenizers.sentencepiece.sentence_piece import SPACE, Piece, SentencePiece
from model.tokenizers.tokenizer import END, PAD, UNK, Side, Token, Tokenizer, code_asked

_LETTER = "x"  # in place of what is unknown, when words are counted
_CODE = re.compile(">>[^<>]+<<")
UNUSED = "<unused {}>"  # a row that no piece has; those of SentencePiece have no spaces

Vocabulary = dict[Name, Annotated[int, Meta(ge=0, le=10**6)]]


class PiecesFile(TypedDict):
    """``tokenizer.json`` of a model from elsewhere."""

    kind: Literal["sentencepiece"]
    source: bytes  # a SentencePiece model, as a .spm file has it
    target: bytes
    vocab: Vocabulary
    src_vocab: Vocabulary | None  # None where both sides share one
    pad_id: Count
    bos_id: Count
    # Tokens that are cut out before SentencePiece reads a text, each with whether a translation
    # leaves it out.
    added: NotRequired[dict[Name, bool]]


class PieceTokenizer(Tokenizer):
    """Made of what ``tokenizer.json`` holds; ValueError where that does not fit together."""

    def __init__(self, values: PiecesFile) -> None:
        self._values = values
        self._source = _Vocabulary(values["src_vocab"] or values["vocab"])
        self._target = _Vocabulary(values["vocab"])
        self._sides: Mapping[Side, _Vocabulary] = {"source": self._source, "target": self._target}
        self._cutters: Mapping[Side, SentencePiece] = {
            "source": SentencePiece(values["source"]),
            "target": SentencePiece(values["target"]),
        }
        added = values.get("added", {})
        self._unsaid = {PAD, END} | {token for token, is_special in added.items() if is_special}
        longest_first = sorted(added, key=len, reverse=True)
        self._added = re.compile(f"({'|'.join(map(re.escape, longest_first))})") if added else None
        self.pad_id, self.bos_id = values["pad_id"], values["bos_id"]
        self.eos_id, self.unk_id = self._target.ids[END], self._target.ids[UNK]
        self.vocab_size, self.src_vocab_size = self._target.size, self._source.size
        if self._source.ids[END] != self.eos_id:
            raise ValueError(f"{END} is not the same number in both vocabularies")
        if max(self.pad_id, self.bos_id) >= self.vocab_size or self.pad_id >= self.src_vocab_size:
            raise ValueError("the number of its padding or of its first token is in no vocabulary")

    def save(self, path: str | Path) -> None:
        write_text(Path(path), msgspec.json.encode(self._values).decode())

    def max_characters(self, n_tokens: int) -> int:
        """As many as the longest pieces have: more than any sentence that somebody writes."""
        return n_tokens * max(cutter.longest for cutter in self._cutters.values())

    def encode(self, text: str, side: Side = "source") -> list[Token]:
        """A language code at the beginning (``>>fra<<``) is a token of its own, as models for many
        languages want it."""
        pieces = self._cut(text, side)
        first = [self.bos_id] if side == "target" else []
        ids = [*first, *(self._sides[side].id(piece) for piece, _ in pieces), self.eos_id]
        return self._tokens(ids, [place for _, place in pieces], text, side)

    def decode(self, ids: Sequence[int]) -> str:
        """Where both sides share a vocabulary, Hugging Face joins with the source's model; what it
        knows of bytes and controls decides, so it is done here too."""
        joiner = self._cutters["source" if self._values["src_vocab"] is None else "target"]
        pieces = [self._target.piece(id) for id in ids]
        return joiner.join([p for p in pieces if p not in self._unsaid and p != UNK])

    def word_ids(self, ids: Sequence[int], side: Side) -> list[int | None]:
        """The word that each piece begins in; what is unknown counts as a letter."""
        pieces = [self._sides[side].piece(id) for id in ids]
        said = [_LETTER if piece == UNK else piece for piece in pieces if piece not in self._unsaid]
        texts = self._cutters[side].texts(said)
        starts = [0, *accumulate(map(len, texts))]
        ends = word_ends("".join(texts))
        numbers = iter([bisect_right(ends, min(start, starts[-1] - 1)) for start in starts])
        return [None if piece in self._unsaid else next(numbers) for piece in pieces]

    def subword(self, id: int, side: Side = "target") -> str:
        piece = self._sides[side].piece(id)
        is_byte = self._cutters[side].is_byte(piece)
        return f"<{piece[3:5]}>" if is_byte else piece.replace(SPACE, " ")

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

    def _cut(self, text: str, side: Side) -> list[Piece]:
        pieces, start = list[Piece](), 0
        for n, part in enumerate(self._added.split(text) if self._added else [text]):
            whole = part if n % 2 else code_asked(part) or ""  # is a token
            pieces += [(whole, (start, start + len(whole)))] if whole else []
            start += len(whole)
            rest = self._cutters[side].cut(part[len(whole) :])
            pieces += [(piece, (begin + start, end + start)) for piece, (begin, end) in rest]
            start += len(part) - len(whole)
        return pieces


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
