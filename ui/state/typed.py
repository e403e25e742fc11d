"""What visitors type: refused by its length before anything is computed from it."""

from __future__ import annotations

from model import InputError
from model.trace.tracing import read_sentence
from model.translation_model import AnyTranslationModel
from ui.state.limits import sentence_characters, sentence_tokens, target_characters, target_tokens


def refuse_long(*sentences: str, target: str | None = None) -> None:
    """Count characters, which costs nothing whatever was sent.

    Args:
        sentences: sources.
        target: a translation that the visitor gives; empty or None if there is none.

    Raises:
        InputError: one of them has too many characters.
    """
    for text in sentences:
        _refuse(text, sentence_characters())
    _refuse(target or "", target_characters())


def check(t: AnyTranslationModel, *sentences: str, target: str | None = None) -> None:
    """Count characters, then tokens.

    Args:
        t: whose tokens count.
        sentences: sources.
        target: a translation that the visitor gives; None if there is none.

    Raises:
        InputError: one of them is empty or too long.
    """
    refuse_long(*sentences, target=target)
    for text in sentences:
        read_sentence(t.model, t.tokenizer, text, limit=sentence_tokens())
    if target is not None:
        read_sentence(t.model, t.tokenizer, target, side="target", limit=target_tokens())


def _refuse(text: str, most: int) -> None:
    if len(text) > most:
        raise InputError("too_many_characters", len(text), most)
