"""Names of a model's languages, for people and for browsers."""

from collections import Counter
from collections.abc import Sequence
from functools import cache

from model.corpora.pairs import Languages
from model.corpora.which_language import LANGUAGES, OTHER_LANGUAGES
from model.hub.tokenizer import HubTokenizer
from model.translation_model import AnyTranslationModel
from ui.text.translator import Translator, translator


def sides(languages: Languages, kind: str) -> Languages:
    """Return the languages of the queries and of the keys of one of the three attentions.

    >>> sides(("en", "fr"), "cross"), sides(("en", "fr"), "encoder_self")
    (('fr', 'en'), ('en', 'en'))
    """
    source, target = languages
    queries = source if kind == "encoder_self" else target
    return queries, target if kind == "decoder_self" else source


def languages_in_words(t: AnyTranslationModel, tr: Translator) -> dict[str, str]:
    """Return "source" and "target" -> the name of this language of the model.

    The name of an unknown language is the word "source" or "target". All names are in the
    visitor's language.
    """
    words = {}
    for side, code in zip(("source", "target"), t.languages, strict=True):
        if code in LANGUAGES or code in OTHER_LANGUAGES:
            words[side] = tr(f"language.{code}")
        elif code and isinstance(t.tokenizer, HubTokenizer) and t.tokenizer.target_languages:
            words[side] = language_names((code,), tr.language)[code]
        else:
            words[side] = tr(f"language.{side}")
    return words


def translation_or_note(text: str, language: str | None, tr: Translator) -> tuple[str, str | None]:
    """Return a translation and its language, or a note if the model wrote nothing.

    The note is in the visitor's language, which is that of the page: its language is None.

    Args:
        text: the translation.
        language: of the translation; None if it is not known.
        tr: the visitor's language.
    """
    return (text, language) if text else (tr("translation.empty"), None)


@cache
def language_names(codes: Sequence[str], language: str) -> dict[str, str]:
    """Return code -> name of each language of a model, sorted by name.

    Languages that share a name get their script, as in Chinese (Simplified Han). A language without
    a name keeps its code.

    Args:
        codes: as the model names them: "deu_Latn", "de_DE", "__de__" or ">>deu<<".
        language: of the visitor.
    """
    # Only models of the Hub need it; it comes with requirements-hub.txt.
    from babel import Locale
    from babel.core import get_global

    locale = Locale(language)
    aliases = get_global("language_aliases")
    subtags = {code: code.strip("_<>").split("_") for code in codes}

    # 1. The name of each language; those that Babel lacks are among our own texts
    names = {}
    texts = translator(language).texts
    for code, (tag, *_) in subtags.items():
        of_babel = locale.languages.get(tag) or locale.languages.get(aliases.get(tag, ""))
        names[code] = texts.get(f"language.{tag}") or of_babel or code

    # 2. If several languages share a name, add the script; if they still do, add the code
    shared = Counter(names.values())
    for code, (_, *rest) in subtags.items():
        if shared[names[code]] > 1 and rest and rest[0] in locale.scripts:
            names[code] = f"{names[code]} ({locale.scripts[rest[0]]})"
    shared = Counter(names.values())
    for code in codes:
        if shared[names[code]] > 1:
            names[code] = f"{names[code]} ({code})"
    return dict(sorted(names.items(), key=lambda item: _sort_key(item[1])))


def _sort_key(name: str) -> bytes:
    """Return the key of a name: GB 18030 sorts the common Chinese characters by their sound."""
    return name.casefold().encode("gb18030")
