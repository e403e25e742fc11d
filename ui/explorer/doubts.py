"""Notes on a text that was normalised visibly, or whose translation may be wrong."""

import math
from contextlib import suppress

import streamlit as st

from model import CheckpointError, Trace, TranslationModel
from model.corpora.plain_text import normalise
from model.corpora.which_language import LANGUAGES, OTHER_LANGUAGES, typed_language_of
from model.evaluation.doubt import Doubt, DoubtFile, doubt, read_doubt
from model.evaluation.uncopied_words import uncopied_words
from model.hub.languages import code_asked
from model.tokenizers.unknown import is_mostly_unknown, unknown_signs
from model.trace.base import BaseTrace
from model.trace.next_tokens import perplexity
from model.translation_model import AnyTranslationModel
from ui.frame.head_kinds import best_aligning_head
from ui.frame.page import PAGES
from ui.state.address import EXPLORER, HUB_CHOICES, Address, encode, one_based
from ui.state.memory import remember
from ui.state.models import checkpoint_names, trace_of
from ui.state.visitor import visitor
from ui.text.markup import gloss, marked_words
from ui.text.numbers import decimals
from ui.text.translator import Translator

_BEAM = 4  # hypotheses of the beam search that is compared with greedy search


def show_doubts(t: AnyTranslationModel, trace: BaseTrace, tr: Translator) -> None:
    """Show the notes on a text and its translation, if there are any.

    Args:
        t: the model that translated.
        trace: of one sentence.
        tr: the visitor's language.
    """
    typed = trace.source_text
    plain = normalise(typed)
    source_language = t.languages[0]

    # 1. Show the text that the model reads, if it differs from the typed text
    if plain != " ".join(typed.split()):
        st.html(gloss(tr("translation.read_as"), plain, lang=source_language))
    _show_code(t, plain, tr)

    # 2. Check whether the model knows this kind of text. Show only the most serious problem
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
        _show_uncertainty(t, trace, tr)

    # 3. Check for bytes in the translation that do not form a character
    if "\ufffd" in trace.target_text and "\ufffd" not in typed:
        st.caption(tr("translation.no_character"))


def _show_uncertainty(t: AnyTranslationModel, trace: BaseTrace, tr: Translator) -> None:
    """Show whether the model's translation may be wrong, and which words it seems to lack.

    Args:
        t: the model that translated.
        trace: of a translation that the model has written.
        tr: the visitor's language.
    """
    # 1. Without measured thresholds, compare the perplexity with that of the test sentences
    measured = _measured_doubt(t) if isinstance(t, TranslationModel) else None
    if measured is None or not isinstance(t, TranslationModel) or not isinstance(trace, Trace):
        if perplexity(trace) > (t.perplexity_p99 or math.inf):
            st.caption(tr("translation.unsure"))
        return

    # 2. With thresholds, look for both signs of a wrong translation
    content, head = measured
    signs = doubt(trace, head, content.thresholds)
    if not signs.is_doubtful:
        return

    # 3. Name the words that seem to be lost, or say that the model is uncertain
    counts = content.measured
    how_often = tr(
        "translation.how_often",
        wrong=counts.wrong,
        wrong_doubted=counts.wrong_doubted,
        right=counts.right,
        right_doubted=counts.right_doubted,
    )
    if signs.lost:
        _show_lost_words(t, trace, signs, head, how_often, tr)
    else:
        st.caption(tr("translation.may_be_wrong"), help=how_often)
    _show_likelier(t, trace, tr)


def _show_lost_words(
    t: TranslationModel,
    trace: Trace,
    signs: Doubt,
    head: tuple[int, int],
    how_often: str,
    tr: Translator,
) -> None:
    """Show the sentence with its lost words marked, and lead to their columns in the map.

    Args:
        t: the model that translated.
        trace: of its translation.
        signs: the lost words, at least one.
        head: layer and head, from 0, of the cross-attention that aligns words best.
        how_often: how often such a note is right.
        tr: the visitor's language.
    """
    spans = [(word.start, word.start + len(word.text)) for word in signs.lost]
    st.html(marked_words(trace.source_text, spans, lang=t.languages[0]))
    st.caption(tr("translation.lost", n=len(spans)), help=how_often)
    numbers = one_based(*head)
    label = tr("translation.lost_where", **numbers)
    if visitor().page == "explorer":  # a link to the page that is open would not change its address
        shown = {"panel": "map", "attention": "cross", "view": "head", **numbers}
        st.button(
            label,
            key="translation.lost_where",
            on_click=visitor().set,
            args=(shown,),
            type="tertiary",
        )
        return
    is_first = t.name == checkpoint_names()[0]  # links leave out the first checkpoint
    map_of_head = Address(
        sentence=trace.source_text,
        checkpoint="" if is_first else t.name,
        attention="cross",
        view="head",
        beam=trace.beam,
        **numbers,
        **{name: visitor().field(name) for name in HUB_CHOICES},
    )
    st.page_link(PAGES["explorer"], label=label, query_params=encode(map_of_head, EXPLORER))


def _show_likelier(t: TranslationModel, trace: Trace, tr: Translator) -> None:
    """Offer the translation of beam search if it is more probable than the greedy translation.

    Only for a doubtful translation: beam search takes several times as long as greedy search.

    Args:
        t: the model that translated.
        trace: of its translation.
        tr: the visitor's language.
    """
    if trace.beam > 1:
        return
    likelier = trace_of(t, trace.source_text, beam=_BEAM)
    if likelier.log_probs.sum() <= trace.log_probs.sum():
        return
    text = tr(
        "translation.likelier",
        beam=_BEAM,
        greedy=decimals(float(trace.log_probs.sum()), 2),
        found=decimals(float(likelier.log_probs.sum()), 2),
    )
    st.html(gloss(text, likelier.target_text, lang=t.languages[1]))


def _measured_doubt(t: TranslationModel) -> tuple[DoubtFile, tuple[int, int]] | None:
    """Return a model's thresholds and its aligning head; None if either was not measured."""
    head = best_aligning_head(t)
    if head is None:
        return None

    def read() -> DoubtFile | None:
        with suppress(CheckpointError):  # a damaged file: the note is only an addition
            return read_doubt(t.folder)
        return None

    content = remember("doubt", t.version, read)
    return (content, head) if content else None


def _show_code(t: AnyTranslationModel, plain: str, tr: Translator) -> None:
    """Show the language codes that the model knows, if the text begins with none of them.

    Nothing is shown if the visitor has chosen a prefix for the text.
    """
    codes = t.tokenizer.codes
    code = code_asked(plain)
    if not codes or code in codes or (code is None and t.tokenizer.prefix):
        return
    text = tr("translation.unknown_code", code=code) if code else tr("translation.no_code")
    st.html(gloss(text, " ".join(codes), lang=None))


def _other_language(typed: str, source_language: str | None) -> str | None:
    """Return the language of a text, unless it is the model's source language or unknown.

    Args:
        typed: the text.
        source_language: of the model. If the detection does not know this language, it takes a text
            in it for a related language: Galician for Portuguese.
    """
    if source_language not in (*LANGUAGES, *OTHER_LANGUAGES):
        return None
    language = remember("languages", typed, lambda: typed_language_of(typed))
    if language == source_language:
        return None
    if (source_language, language) == ("ja", "zh"):  # without kana, both are possible
        return None
    return language
