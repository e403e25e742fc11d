"""Short notes if a text is read differently from what was typed, or is not learned."""

import math

import streamlit as st

from model.corpora.plain_text import normalise
from model.corpora.which_language import language_of
from model.evaluation.uncopied_words import uncopied_words
from model.tokenizers.tokenizer import code_asked
from model.tokenizers.unknown import is_mostly_unknown, unknown_signs
from model.trace.base import BaseTrace
from model.trace.next_tokens import perplexity
from model.translation_model import AnyTranslationModel
from ui.state.memory import remember
from ui.text.markup import gloss
from ui.text.translator import Translator


def show_doubts(t: AnyTranslationModel, trace: BaseTrace, tr: Translator) -> None:
    """Show the doubts about a translation; nothing if there are none.

    Args:
        t: the model that translated.
        trace: of one sentence.
        tr: the visitor's language.
    """
    typed = trace.source_text
    plain = normalise(typed)
    source_language = t.languages[0]

    # 1. How the text was read
    if plain != " ".join(typed.split()):
        st.html(gloss(tr("translation.read_as"), plain, lang=source_language))
    _show_code(t, plain, tr)

    # 2. Whether the model has learned such texts; only the most serious doubt is shown
    language = _other_language(typed, source_language)
    if language:
        st.caption(tr("translation.looks_like", language=tr(f"language.{language}")))
    elif is_mostly_unknown(t.tokenizer, trace.src, typed):
        st.caption(tr("translation.unknown_signs"))
    elif signs := unknown_signs(t.tokenizer, trace.src, typed):
        st.html(gloss(tr("translation.new_signs"), " ".join(signs), lang=None))
    elif trace.target_origin == "generated":
        if words := uncopied_words(plain, trace.target_text):
            st.html(gloss(tr("translation.not_copied"), " ".join(words), lang=None))
        if perplexity(trace) > (t.perplexity_p99 or math.inf):
            st.caption(tr("translation.unsure"))

    # 3. Whether the translation has bytes that do not form a character
    if "\ufffd" in trace.target_text and "\ufffd" not in typed:
        st.caption(tr("translation.no_character"))


def _show_code(t: AnyTranslationModel, plain: str, tr: Translator) -> None:
    """Show the language codes that the model knows, if the text begins with none of them."""
    codes = t.tokenizer.codes
    code = code_asked(plain)
    if not codes or code in codes:
        return
    text = tr("translation.unknown_code", code=code) if code else tr("translation.no_code")
    st.html(gloss(text, " ".join(codes), lang=None))


def _other_language(typed: str, source_language: str | None) -> str | None:
    """Return the language of a text; None if it is the model's, or one is unknown."""
    if source_language is None:
        return None
    language = remember("languages", typed, lambda: language_of(typed))
    if language == source_language:
        return None
    if (source_language, language) == ("ja", "zh"):  # without kana, both are possible
        return None
    return language
