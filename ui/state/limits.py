"""The limits that the operator of a server can set: text lengths, memory, processes.

Each is an environment variable; without it the default is used.
"""

import os
from typing import Any

from model import InputError
from model.decoding.greedy import EXTRA_TOKENS
from model.tokenizers.tokenizer import Token
from model.trace.tracing import read_sentence
from model.translation_model import Loaded

TOKENS_VARIABLE = "ATTENTION_EXPLORER_TOKENS"
MEMORY_VARIABLE = "ATTENTION_EXPLORER_MEMORY"
REPLICAS_VARIABLE = "ATTENTION_EXPLORER_REPLICAS"
_CHARACTERS_PER_TOKEN = 10  # accepted by a box; a typical token has about four

MAX_TOKENS = 1000  # a head's map has as many cells as the square of this number
MAX_MEMORY_BYTES = 10**15
MAX_REPLICAS = 64  # `make serve` starts at most this number


class LimitError(ValueError):
    """The error for a limit that is not a whole number, too small, or too large."""


def sentence_tokens() -> int:
    """Return the maximum number of tokens of a visitor's sentence, with BOS and EOS."""
    return _whole_number(TOKENS_VARIABLE, 100, least=3, most=MAX_TOKENS)


def target_tokens() -> int:
    """Return the maximum number of tokens of a translation that a visitor types.

    Everything that the model may write can also be typed.
    """
    return sentence_tokens() + EXTRA_TOKENS + 1  # and BOS


def sentence_characters() -> int:
    """Return the maximum characters of a sentence. Longer sentences are refused at once."""
    return _CHARACTERS_PER_TOKEN * sentence_tokens()


def target_characters() -> int:
    """Return the maximum number of characters of a translation that a visitor types."""
    return _CHARACTERS_PER_TOKEN * target_tokens()


def memory_bytes() -> int:
    """Return the maximum bytes of all cached models and results together."""
    return _whole_number(MEMORY_VARIABLE, 10**9, least=1, most=MAX_MEMORY_BYTES)


def replicas() -> int:
    """Return the number of server processes. A visitor always reaches the same process."""
    return _whole_number(REPLICAS_VARIABLE, 1, least=1, most=MAX_REPLICAS)


def refuse_long(*sentences: str, target: str | None = None) -> None:
    """Refuse texts with too many characters, before they are tokenised at great cost.

    Raises:
        InputError: a text is too long.
    """
    limits = [(text, sentence_characters()) for text in sentences]
    limits.append((target or "", target_characters()))
    for text, limit in limits:
        if len(text) > limit:
            raise InputError("too_many_characters", len(text), limit)


def check(t: Loaded[Any, Any], *sentences: str, target: str | None = None) -> list[list[Token]]:
    """Tokenise a visitor's sentences. Raise InputError if a text is too long.

    Args:
        t: the model that will read them.
        sentences: as typed.
        target: a translation that the visitor has typed; it is checked, too.

    Returns:
        The tokens of each sentence.

    Raises:
        InputError: a text is empty or too long.
    """
    refuse_long(*sentences, target=target)
    limit = sentence_tokens()
    tokens = [read_sentence(t.model, t.tokenizer, text, limit=limit) for text in sentences]
    if target is not None:
        read_sentence(t.model, t.tokenizer, target, side="target", limit=target_tokens())
    return tokens


def _whole_number(variable: str, default: int, *, least: int, most: int) -> int:
    """Return the whole number in an environment variable.

    Args:
        variable: name of the variable.
        default: the number if the variable is empty or not set.
        least: smallest number that is allowed.
        most: largest number that is allowed.

    Raises:
        LimitError: the variable holds anything else.
    """
    text = os.environ.get(variable, "").strip()
    if not text:
        return default
    is_short = len(text) <= len(str(most))  # because int() fails for thousands of digits
    is_number = text.isascii() and text.isdigit() and is_short
    if not is_number or not least <= int(text) <= most:
        raise LimitError(
            f"{variable} is {text[:40]!r}: give a whole number from {least} to {most}, "
            f"for instance {default}."
        )
    return int(text)
