"""Names of a model's languages, for people and for browsers."""

from model.corpora.which_language import LANGUAGES, OTHER_LANGUAGES
from model.translation_model import AnyTranslationModel
from ui.text.translator import Translator

Languages = tuple[str | None, str | None]


def sides(languages: Languages, kind: str) -> Languages:
    """Return the languages of the queries and of the keys of one of the three attentions.

    >>> sides(("en", "fr"), "cross"), sides(("en", "fr"), "encoder_self")
    (('fr', 'en'), ('en', 'en'))
    """
    source, target = languages
    queries = source if kind == "encoder_self" else target
    return queries, target if kind == "decoder_self" else source


def languages_in_words(t: AnyTranslationModel, tr: Translator) -> dict[str, str]:
    """Return the names of ``source`` and ``target``; these two words if they are unknown."""
    words = {}
    for side, code in zip(("source", "target"), t.languages, strict=True):
        has_name = code in LANGUAGES or code in OTHER_LANGUAGES
        words[side] = tr(f"language.{code if has_name else side}")
    return words
