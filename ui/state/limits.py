"""What the operator sets: how long typed texts may be, how much is kept.

Each is one environment variable; one that is not set has its default.
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
_CHARACTERS = 10  # of a box for each token; a sentence that fits has about four


class LimitError(ValueError):
    """A limit that the operator set is not a whole number, or too small."""


def sentence_tokens() -> int:
    """Most tokens of a visitor's sentence, BOS and EOS included."""
    return _whole_number(TOKENS_VARIABLE, 100, least=3)


def target_tokens() -> int:
    """Most tokens of a translation that a visitor gives: what the model may write can be read."""
    return sentence_tokens() + EXTRA_TOKENS + 1  # and BOS


def sentence_characters() -> int:
    """Most characters of a sentence: what is longer is refused before anything is computed."""
    return _CHARACTERS * sentence_tokens()


def target_characters() -> int:
    """Most characters of a translation that a visitor gives."""
    return _CHARACTERS * target_tokens()


def memory_bytes() -> int:
    """Most bytes of all models and results kept for all visitors together."""
    return _whole_number(MEMORY_VARIABLE, 10**9, least=1)


def replicas() -> int:
    """How many processes like this one serve the site; a visitor stays with one of them."""
    return _whole_number(REPLICAS_VARIABLE, 1, least=1)


def refuse_long(*sentences: str, target: str | None = None) -> None:
    """InputError where one has too many characters; counting costs nothing whatever was sent."""
    limits = [(text, sentence_characters()) for text in sentences]
    for text, most in [*limits, (target or "", target_characters())]:
        if len(text) > most:
            raise InputError("too_many_characters", len(text), most)


def check(t: Loaded[Any, Any], *sentences: str, target: str | None = None) -> list[list[Token]]:
    """Return the tokens of each sentence; InputError where a text is empty or too long."""
    refuse_long(*sentences, target=target)
    limit = sentence_tokens()
    tokens = [read_sentence(t.model, t.tokenizer, text, limit=limit) for text in sentences]
    if target is not None:
        read_sentence(t.model, t.tokenizer, target, side="target", limit=target_tokens())
    return tokens


def _whole_number(variable: str, default: int, *, least: int) -> int:
    text = os.environ.get(variable, "").strip()
    if not text:
        return default
    if not (text.isascii() and text.isdigit() and len(text) < 16 and int(text) >= least):
        raise LimitError(
            f"{variable} is {text[:40]!r}: give a whole number of at least {least}, "
            f"for instance {default}."
        )
    return int(text)
