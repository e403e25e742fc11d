"""One SentencePiece model: a text of one language to pieces, and pieces to text.

Source: Kudo and Richardson 2018, whose library does it here.
"""

from collections.abc import Sequence

from sentencepiece import SentencePieceProcessor

from model.corpora.plain_text import Span

SPACE = "▁"  # U+2581: a space inside of a piece
Piece = tuple[str, Span]  # as the model spells it, ``▁dog`` or ``<0xF0>``, and its place in a text


class SentencePiece:
    """Cuts and joins as the bytes of a ``.spm`` file say; ValueError if they are none."""

    def __init__(self, model: bytes) -> None:
        try:
            self._model = SentencePieceProcessor.from_proto(model)
        except RuntimeError as error:
            raise ValueError("it is no SentencePiece model") from error
        self.longest = max(map(len, map(self._model.id_to_piece, range(len(self._model)))))

    def cut(self, text: str) -> list[Piece]:
        """The pieces of a text; a run of unknown characters is one piece, or its bytes are."""
        text = text.encode(errors="replace").decode()  # half a pair of UTF-16 is no character
        found = self._model.encode(text, return_type="offset_mapping")
        pieces, place = list[Piece](), (len(text), len(text))
        for spelled, own in zip(found["pieces"][::-1], found["offsets"][::-1], strict=True):
            # Of the parts of one typed character only the last has a place of its own.
            place = own if own[0] < own[1] else place
            pieces.append((spelled, place))
        return pieces[::-1]

    def join(self, pieces: Sequence[str]) -> str:
        """The text that pieces spell."""
        return str(self._model.decode_pieces([*pieces])).replace(SPACE, " ").strip()

    def texts(self, pieces: Sequence[str]) -> list[str]:
        """What every piece adds to the text; of the bytes of a character one adds all of it."""
        return [piece.surface for piece in self._model.decode_pieces_as_proto([*pieces]).pieces]

    def is_byte(self, piece: str) -> bool:
        """Whether this is the spelling of a byte."""
        return bool(self._model.is_byte(self._model.piece_to_id(piece)))
