"""What the languages of a model are called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from model.data.which_language import LANGUAGES
from ui.text.translator import Translator

if TYPE_CHECKING:
    from model.translation_model import AnyTranslationModel


def languages_in_words(t: AnyTranslationModel, tr: Translator) -> dict[str, str]:
    """``source`` and ``target`` in the visitor's language; or these words where none is known."""
    sides = zip(("source", "target"), t.languages, strict=True)
    return {side: tr(f"language.{code if code in LANGUAGES else side}") for side, code in sides}
