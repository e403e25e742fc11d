"""The limits that the operator of a server can set: text lengths, memory, processes.

Each is an environment variable; without it the default is used.
"""

import os
from math import isqrt
from typing import Any

import streamlit as st

from model import InputError, TranslationModel
from model.decoding.greedy import EXTRA_TOKENS
from model.tokenizers.tokenizer import Token
from model.trace.tracing import read_sentence
from model.translation_model import Loaded

TOKENS_VARIABLE = "ATTENTION_EXPLORER_TOKENS"
MEMORY_VARIABLE = "ATTENTION_EXPLORER_MEMORY"
REPLICAS_VARIABLE = "ATTENTION_EXPLORER_REPLICAS"
_BYTES_PER_CELL = 2  # a cell of the small maps of all heads
_SHARE_OF_MAPS = 0.95  # of a message; the rest is for labels
_CHARACTERS_PER_TOKEN = 10  # that a box accepts; a typical token has about four

MAX_TOKENS = 1000  # a head's map has as many cells as the square of this number
MAX_MEMORY_BYTES = 10**15
MAX_REPLICAS = 64  # `make serve` starts at most this number


class LimitError(ValueError):
    """The error for a limit that is not a whole number, too small, or too large."""


def sentence_tokens() -> int:
    """Return the maximum number of tokens of a visitor's sentence, with BOS and EOS."""
    return _whole_number(TOKENS_VARIABLE, 100, least=3, most=MAX_TOKENS)


def target_tokens(t: Loaded[Any, Any] | None = None) -> int:
    """Return the maximum number of tokens of a translation that a visitor types.

    Everything that the model may write can also be typed.

    Args:
        t: the model that reads it; None: any model.
    """
    n_source = sentence_tokens() if t is None else min(sentence_tokens(), tokens_with_maps(t))
    return n_source + EXTRA_TOKENS + 1  # and BOS


def tokens_with_maps(t: Loaded[Any, Any]) -> int:
    """Return the maximum number of tokens of a sentence whose maps fit into one message.

    The explorer sends the maps of all heads of one attention together. They are largest in the
    decoder, which may write ``EXTRA_TOKENS`` more tokens than the sentence has. Streamlit sends no
    message that is larger than ``server.maxMessageSize``. With 10 MB, a model of 12 layers with 16
    heads reads 102 tokens, and one of 24 layers with 16 heads 57.

    Args:
        t: the model.
    """
    if not isinstance(t, TranslationModel):
        return MAX_TOKENS  # a recurrent model has one map
    message_bytes = int(st.get_option("server.maxMessageSize")) * 10**6
    n_maps = t.config.n_layers * (t.config.n_heads + 1)  # and the mean of each layer
    cells = int(_SHARE_OF_MAPS * message_bytes) // (_BYTES_PER_CELL * n_maps)
    return max(3, isqrt(cells) - EXTRA_TOKENS)


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


def read_within_limits(
    t: Loaded[Any, Any], *sentences: str, target: str | None = None
) -> list[list[Token]]:
    """Read a visitor's sentences as tokens. Refuse a text that is too long.

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
    limit = min(sentence_tokens(), tokens_with_maps(t))
    try:
        tokens = [read_sentence(t.model, t.tokenizer, text, limit=limit) for text in sentences]
        if target is not None:
            read_sentence(t.model, t.tokenizer, target, side="target", limit=target_tokens(t))
    except InputError as error:
        is_limit_of_maps = limit < sentence_tokens() and error.limit < t.config.max_length
        if error.reason == "too_long" and is_limit_of_maps:
            raise InputError("too_many_maps", error.n, error.limit) from error
        raise
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
