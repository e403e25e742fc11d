"""A SentencePiece model, which splits a text into pieces.

Source: Kudo and Richardson 2018, whose library does it here.
"""

from model.corpora.plain_text import Span

SPACE = "▁"  # U+2581: a space inside of a piece
Piece = tuple[str, Span]  # as the model spells it, ``▁dog`` or ``<0xF0>``, and its span in a text


class SentencePiece:
    """Splits texts with the model in a ``.spm`` file."""

    def __init__(self, model: bytes) -> None:
        from sentencepiece import SentencePieceProcessor  # only models of the Hub need it

        self._model = SentencePieceProcessor.from_proto(model)

    def cut(self, text: str) -> list[Piece]:
        """Return the pieces of a text. A run of unknown characters becomes one piece, or its bytes.

        Of the parts of one typed character only the last has a span of its own. The others get the
        span of the piece after them.
        """
        text = text.encode(errors="replace").decode()  # a lone surrogate is not a character
        result = self._model.encode(text, return_type="offset_mapping")
        pieces: list[Piece] = []
        span = (len(text), len(text))
        for spelled, own_span in zip(result["pieces"][::-1], result["offsets"][::-1], strict=True):
            if own_span[0] < own_span[1]:
                span = own_span
            pieces.append((spelled, span))
        return pieces[::-1]
