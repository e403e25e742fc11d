"""One SentencePiece model: a text of one language to pieces, and pieces to text.

``tokenizers`` has these steps as well, but not to the letter: its ``Precompiled`` takes the
shortest replacement in place of the longest, and its ``Unigram`` adds in float64, by which another
of several equal cuts wins where a letter is repeated.

Source: Kudo and Richardson 2018.
"""

import re
from collections.abc import Sequence
from itertools import groupby
from typing import Literal, NamedTuple, TypedDict

import numpy as np
from tokenizers import AddedToken, models
from tokenizers import Tokenizer as Bpe

from model.data.tokenizer import Span
from model.files.json_file import Name, Number

SPACE = "▁"  # U+2581: a space inside of a piece
_LABEL, _LEAF, _WIDE = (1 << 31) | 0xFF, 1 << 8, 1 << 9
_BYTE = re.compile("<0x([0-9A-F]{2})>")
_UNKNOWN = " "  # a name for it that no uniform text has
_LESS = 10  # how much worse than the worst piece an unknown character is


class PieceModel(TypedDict):
    """What a model has learned and how it was set, in ``tokenizer.json``."""

    algorithm: Literal["unigram", "bpe"]
    scores: dict[Name, Number]
    defined: list[Name]  # pieces that are always cut out
    controls: list[Name]  # that spell nothing
    byte_fallback: bool  # whether an unknown character is spelled by its bytes
    charsmap: bytes  # what is written in place of what, see ``Rules``
    prefix: bool  # whether a space is put before a text
    squeezed: bool  # whether spaces around it are left out, and all but one inside


class Piece(NamedTuple):
    """A part of a text: as it stands in the uniform text, ``▁dog``, a byte as ``<0xF0>``."""

    spelled: str
    place: Span  # in the typed text


class SentencePiece:
    """Cuts and joins; ValueError if the values do not make sense."""

    def __init__(self, values: PieceModel) -> None:
        if not values["scores"]:
            raise ValueError("it has no pieces")
        self._values, self._rules = values, Rules(values["charsmap"])
        self._defined, self._controls = frozenset(values["defined"]), frozenset(values["controls"])
        self._longest_defined = max(map(len, self._defined), default=0)
        learned = [score for piece, score in values["scores"].items() if piece not in self._defined]
        self._unknown = float(np.float32(min(learned, default=0) - _LESS))
        most = max([float(np.finfo(np.float32).tiny), *learned])
        always = {piece: most * len(piece.encode()) - 0.1 for piece in self._defined}
        self._scores = values["scores"] | always
        self._bpe = _merging(values) if values["algorithm"] == "bpe" else None
        self.longest = max(map(len, self._scores))

    def cut(self, text: str) -> list[Piece]:
        """The pieces of a text; a run of unknown characters is one piece, or its bytes are."""
        signs = self._uniform(text)
        uniform = "".join(sign for sign, _ in signs)
        in_bytes = self._values["byte_fallback"]
        pieces: list[Piece] = []
        spans = self._bpe.encode(uniform).offsets if self._bpe else self._most_probable(uniform)
        for unknown, run in groupby(
            spans, key=lambda span: uniform[slice(*span)] not in self._scores
        ):
            if unknown and not in_bytes:
                places = list(run)
                run = iter([(places[0][0], places[-1][1])])
            for start, end in run:
                place = signs[start][1][0], signs[end - 1][1][1]
                if pieces and place[1] == pieces[-1].place[1]:  # the rest of one typed sign
                    place = pieces[-1].place
                parts = [uniform[start:end]]
                if unknown and in_bytes:
                    parts = [f"<0x{byte:02X}>" for byte in parts[0].encode()]
                pieces += [Piece(part, place) for part in parts]
        return pieces

    def join(self, pieces: Sequence[str]) -> str:
        """The text that pieces spell."""
        return "".join(self.texts(pieces)).strip()

    def texts(self, pieces: Sequence[str]) -> list[str]:
        """What every piece adds to the text: the first byte of a character all of it, the others
        nothing; a byte that belongs to none U+FFFD."""
        texts = []
        for in_bytes, run in groupby(pieces, key=self.is_byte):
            if in_bytes:
                texts += _of_bytes(bytes.fromhex("".join(piece[3:5] for piece in run)))
            else:
                texts += ["" if p in self._controls else p.replace(SPACE, " ") for p in run]
        return texts

    def is_byte(self, piece: str) -> bool:
        """Whether this is the spelling of a byte."""
        return self._values["byte_fallback"] and _BYTE.fullmatch(piece) is not None

    def _most_probable(self, uniform: str) -> list[Span]:
        """Viterbi's algorithm: the best cut up to each place, from the best up to earlier ones.

        Sums are rounded to float32, as SentencePiece does, so that the same cut wins a near tie.

        Source: Kudo 2018, section 3.2.
        """
        best = [0.0] * (len(uniform) + 1)  # the log-probability of the best cut that ends here
        begins: list[int | None] = [None] * (len(uniform) + 1)  # and where its last piece begins
        for start in range(len(uniform)):
            for end in range(start + 1, min(start + self.longest, len(uniform)) + 1):
                alone = self._unknown if end == start + 1 else None
                score = self._scores.get(uniform[start:end], alone)
                if score is None:
                    continue
                total = float(np.float32(best[start] + score))
                if begins[end] is None or total > best[end]:
                    best[end], begins[end] = total, start
        cut: list[Span] = []
        end = len(uniform)
        while end:
            start = begins[end] or 0
            cut.append((start, end))
            end = start
        return cut[::-1]

    def _uniform(self, text: str) -> list[tuple[str, Span]]:
        """The characters of the uniform text, each with its place in the typed one.

        Source: Kudo and Richardson 2018, section 3.
        """
        squeezed = self._values["squeezed"]
        text = text.encode(errors="replace").decode()  # half a pair of UTF-16 is no character
        signs: list[tuple[str, Span]] = []
        after_space, start = squeezed, 0
        while start < len(text):
            written, end = self._next(text, start)
            written = written.lstrip(" ") if after_space else written
            signs += [(SPACE if c == " " else c, (start, end)) for c in written]
            if squeezed and written:
                after_space = written.endswith(" ")
            start = end
        while squeezed and signs and signs[-1][0] == SPACE:
            signs.pop()
        if self._values["prefix"] and (signs or (text and not squeezed)):
            first = signs[0][1][0] if signs else 0
            signs.insert(0, (SPACE, (first, first)))
        return signs

    def _next(self, text: str, start: int) -> tuple[str, int]:
        """What is written for the next characters, and where these end."""
        for end in range(min(start + self._longest_defined, len(text)), start, -1):
            if text[start:end] in self._defined:
                return text[start:end], end
        return self._rules.longest(text, start) or (text[start], start + 1)


class Rules:
    """What is written in place of what: a table that is searched for the longest entry.

    As SentencePiece stores it: the size of a double array in bytes, the double array, and the texts
    to write, each with a zero behind it; all numbers little-endian. Empty where nothing is
    replaced; ValueError if it is cut off.

    Source: Aoe 1989 (double array); the layout of a unit is that of Darts-clone.
    """

    def __init__(self, charsmap: bytes) -> None:
        size = int.from_bytes(charsmap[:4], "little")
        if charsmap and not (size and size % 4 == 0 and 4 + size <= len(charsmap)):
            raise ValueError("its table of replaced characters is cut off")
        self._units: list[int] = np.frombuffer(charsmap[4 : 4 + size], "<u4").tolist()
        self._texts = charsmap[4 + size :]

    def longest(self, text: str, start: int) -> tuple[str, int] | None:
        """What stands for the longest entry that the text goes on with, and where that ends."""
        found = None
        place = self._offset(0)
        for end in range(start, len(text) if self._units else 0):
            for byte in text[end].encode():
                place ^= byte
                if self._unit(place) & _LABEL != byte:
                    return found
                has_leaf = self._unit(place) & _LEAF
                place ^= self._offset(place)
            if has_leaf:
                found = self._text(self._unit(place) & ~(1 << 31)), end + 1
        return found

    def _unit(self, place: int) -> int:
        return self._units[place] if place < len(self._units) else 0

    def _offset(self, place: int) -> int:
        unit = self._unit(place)
        return unit >> 10 << (8 if unit & _WIDE else 0)

    def _text(self, start: int) -> str:
        return self._texts[start : max(self._texts.find(0, start), start)].decode(errors="replace")


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
