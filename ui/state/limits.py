"""What the operator sets: how long sentences may be, how much is kept.

Each is one environment variable; one that is not set has its default.
"""

from __future__ import annotations

import os

from model.decoding.greedy import EXTRA_TOKENS

TOKENS_VARIABLE = "ATTENTION_EXPLORER_TOKENS"
MEMORY_VARIABLE = "ATTENTION_EXPLORER_MEMORY"
REPLICAS_VARIABLE = "ATTENTION_EXPLORER_REPLICAS"
_TOKENS, _BYTES, _REPLICAS = 100, 10**9, 1
_CHARACTERS = 10  # of a box for each token; a sentence that fits has about four


class LimitError(ValueError):
    """A limit that the operator set is not a whole number, or too small."""


def sentence_tokens() -> int:
    """Most tokens of a visitor's sentence, BOS and EOS included.

    Raises:
        LimitError: what the environment says is no such number.
    """
    return _whole_number(TOKENS_VARIABLE, _TOKENS, least=3)


def target_tokens() -> int:
    """Most tokens of a translation that a visitor gives: what the model may write can be read.

    Raises:
        LimitError: as ``sentence_tokens``.
    """
    return sentence_tokens() + EXTRA_TOKENS + 1  # and BOS


def sentence_characters() -> int:
    """Most characters of a sentence: what is longer is refused before anything is computed.

    Raises:
        LimitError: as ``sentence_tokens``.
    """
    return _CHARACTERS * sentence_tokens()


def target_characters() -> int:
    """Most characters of a translation that a visitor gives.

    Raises:
        LimitError: as ``sentence_tokens``.
    """
    return _CHARACTERS * target_tokens()


def memory_bytes() -> int:
    """Most bytes of all models and results kept for all visitors together.

    Raises:
        LimitError: what the environment says is no such number.
    """
    return _whole_number(MEMORY_VARIABLE, _BYTES, least=1)


def replicas() -> int:
    """How many processes like this one serve the site; a visitor stays with one of them.

    Raises:
        LimitError: what the environment says is no such number.
    """
    return _whole_number(REPLICAS_VARIABLE, _REPLICAS, least=1)


def _whole_number(variable: str, default: int, *, least: int) -> int:
    """What the environment says, or the default where it says nothing."""
    text = os.environ.get(variable, "").strip()
    if not text:
        return default
    if not (text.isascii() and text.isdigit() and len(text) < 16 and int(text) >= least):
        raise LimitError(
            f"{variable} is {text[:40]!r}: give a whole number of at least {least}, "
            f"for instance {default}."
        )
    return int(text)
