"""Find characters that a vocabulary does not know, such as emoji or other scripts."""

from collections.abc import Sequence

from model.corpora.plain_text import normalise
from model.tokenizers.tokenizer import BYTES_SUBWORD, UNK, Token, Tokenizer


def unknown_signs(tokenizer: Tokenizer, tokens: Sequence[Token], text: str) -> list[str]:
    """Return the characters of a text that the model has not learned.

    Args:
        tokenizer: of the model.
        tokens: of the text.
        text: as it was typed.

    Returns:
        Each sign once, normalised, in the order of the text: those that are ``<unk>``, and those
        that are bytes here and that no subword of the vocabulary holds whole.
    """
    signs: dict[str, None] = {}  # used as a set that keeps the order
    for token in tokens:
        if token.start == token.end:
            continue  # a special token or a token of a prefix: not part of the text
        is_unknown = token.text == UNK
        if not is_unknown and not BYTES_SUBWORD.search(token.text):
            continue
        sign = normalise(text[token.start : token.end])
        if is_unknown or not set(sign) <= tokenizer.characters:
            signs[sign] = None
    return list(signs)


def is_mostly_unknown(tokenizer: Tokenizer, tokens: Sequence[Token], text: str) -> bool:
    """Return whether most characters of a text are unknown to the vocabulary.

    Args:
        tokenizer: of the model.
        tokens: of the text.
        text: as it was typed.
    """
    unknown = set("".join(unknown_signs(tokenizer, tokens, text)).casefold())
    characters = "".join(normalise(text).casefold().split())
    n_unknown = sum(character in unknown for character in characters)
    return n_unknown > len(characters) / 2
