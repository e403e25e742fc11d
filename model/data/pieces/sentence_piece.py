"""One SentencePiece model: a text of one language to pieces, and pieces to text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from typing import Literal, NamedTuple, TypedDict

import numpy as np
from tokenizers import AddedToken, models
from tokenizers import Tokenizer as Bpe

from model.data.pieces.normaliser import SPACE, Normaliser, Rules
from model.data.pieces.unigram import most_probable_cut
from model.data.tokenizer import Span
from model.files.json_file import Name, Number

_BYTE = re.compile("<0x([0-9A-F]{2})>")
_UNKNOWN = " "  # a name for it that no uniform text has
_LESS = 10  # how much worse than the worst piece an unknown character is


class PieceModel(TypedDict):
    """What a model has learned and how it was set, in ``tokenizer.json``."""

    algorithm: Literal["unigram", "bpe"]
    scores: dict[Name, Number]
    defined: list[Name]
    controls: list[Name]
    byte_fallback: bool
    charsmap: bytes
    prefix: bool
    squeezed: bool


class Piece(NamedTuple):
    """A part of a text.

    Args:
        spelled: as it stands in the uniform text, ``▁dog``; a byte as ``<0xF0>``.
        place: in the typed text.
    """

    spelled: str
    place: Span


class SentencePiece:
    """Cuts and joins.

    Args:
        values: what the model has learned and how it was set: ``scores`` of the pieces, ``defined``
            pieces that are always cut out, ``controls`` that spell nothing, whether an unknown
            character is spelled by its bytes, and how a text is made uniform.

    Raises:
        ValueError: the values do not make sense.

    Source: Kudo and Richardson 2018.
    """

    def __init__(self, values: PieceModel) -> None:
        if not values["scores"]:
            raise ValueError("it has no pieces")
        self._defined, self._controls = frozenset(values["defined"]), frozenset(values["controls"])
        self._bytes = values["byte_fallback"]
        learned = [score for piece, score in values["scores"].items() if piece not in self._defined]
        self._unknown = float(np.float32(min(learned, default=0) - _LESS))
        most = max([float(np.finfo(np.float32).tiny), *learned])
        always = {piece: most * len(piece.encode()) - 0.1 for piece in self._defined}
        self._scores = values["scores"] | always
        self._bpe = _merging(values) if values["algorithm"] == "bpe" else None
        self.longest = max(map(len, self._scores))
        self._normaliser = Normaliser(
            Rules(values["charsmap"]),
            self._defined,
            prefix=values["prefix"],
            squeezed=values["squeezed"],
        )

    def cut(self, text: str) -> list[Piece]:
        """The pieces of a text; a run of unknown characters is one piece, or its bytes are."""
        signs = self._normaliser.signs(text)
        uniform = "".join(sign.character for sign in signs)
        places = self._places(uniform)
        pieces: list[Piece] = []
        for unknown, run in groupby(places, key=lambda p: uniform[p[0] : p[1]] not in self._scores):
            if unknown and not self._bytes:
                spans = list(run)
                run = iter([(spans[0][0], spans[-1][1])])
            for start, end in run:
                place = signs[start].start, signs[end - 1].end
                if pieces and place[1] == pieces[-1].place[1]:  # the rest of one typed sign
                    place = pieces[-1].place
                spelled = uniform[start:end]
                parts = _in_bytes(spelled) if unknown and self._bytes else [spelled]
                pieces += [Piece(part, place) for part in parts]
        return pieces

    def join(self, pieces: Sequence[str]) -> str:
        """The text that pieces spell."""
        return "".join(self.texts(pieces)).strip()

    def texts(self, pieces: Sequence[str]) -> list[str]:
        """What every piece adds to the text.

        The first byte of a character adds the character, the others nothing. A byte that belongs to
        none adds U+FFFD.
        """
        texts = []
        for in_bytes, run in groupby(pieces, key=self.is_byte):
            if in_bytes:
                texts += _of_bytes(bytes.fromhex("".join(piece[3:5] for piece in run)))
            else:
                texts += ["" if p in self._controls else p.replace(SPACE, " ") for p in run]
        return texts

    def is_byte(self, piece: str) -> bool:
        """Whether this is the spelling of a byte."""
        return self._bytes and _BYTE.fullmatch(piece) is not None

    def _places(self, uniform: str) -> list[Span]:
        if self._bpe:
            return self._bpe.encode(uniform).offsets
        return most_probable_cut(uniform, self._scores, longest=self.longest, unknown=self._unknown)


def _merging(values: PieceModel) -> Bpe:
    """The same byte-pair encoding in ``tokenizers``, which asks for pairs in place of scores.

    Source: Sennrich et al. 2016, section 3.2.
    """
    best_first = sorted(values["scores"], key=lambda piece: -values["scores"][piece])
    ids = {piece: id for id, piece in enumerate([*best_first, _UNKNOWN])}
    pairs = [(piece[:n], piece[n:]) for piece in best_first for n in range(1, len(piece))]
    merges = [pair for pair in pairs if pair[0] in ids and pair[1] in ids]
    bpe = Bpe(models.BPE(ids, merges, unk_token=_UNKNOWN))
    bpe.add_tokens([AddedToken(piece, normalized=False) for piece in values["defined"]])
    return bpe


def _of_bytes(raw: bytes) -> list[str]:
    texts = []
    for character in raw.decode(errors="surrogateescape"):
        if "\udc80" <= character <= "\udcff":
            texts.append("\ufffd")
        else:
            texts += [character, *[""] * (len(character.encode()) - 1)]
    return texts


def _in_bytes(text: str) -> list[str]:
    return [f"<0x{byte:02X}>" for byte in text.encode()]
