"""The translation on the page, in large letters, with its origin and its tokens."""

import streamlit as st

from model import Trace, TranslationModel
from ui.explorer.chosen_tokens import Chosen, continued
from ui.explorer.doubts import show_doubts
from ui.explorer.drawn_target import target_of
from ui.export.provenance import decoded
from ui.frame.page import PAGES, show_problems
from ui.state.models import PageRun, trace_of
from ui.text.languages import translation_or_note
from ui.text.markup import alert, subwords, translation
from ui.text.translator import Translator


def translate(
    run: PageRun, tr: Translator, *, with_tokens: bool = False, chosen: Chosen | None = None
) -> Trace | None:
    """Show the translation, and return its trace.

    Args:
        run: the model and the visitor's choices.
        tr: the visitor's language.
        with_tokens: whether to show each written token with its probability, too.
        chosen: tokens by which the visitor has replaced the model's own.

    Returns:
        The trace; None, after a message, if nothing can be translated or the model has no heads.
    """
    with show_problems(tr):
        # 1. Translate, or read the visitor's translation
        t = run.any_model
        address = run.address
        target = target_of(t, address)
        if chosen and isinstance(t, TranslationModel):
            target = continued(t, address.sentence, chosen)
        trace = trace_of(t, address.sentence, target=target, beam=address.beam)

        # 2. Show the text and its origin
        text, language = translation_or_note(trace.target_text, t.languages[1], tr)
        beam = trace.beam if trace.target_origin == "generated" else None
        origin = " · ".join(decoded(trace.target_origin, beam, tr))
        positions = [n for n in chosen or () if n < len(trace.next_tokens)]
        if positions:
            numbers = tr.listed(str(position + 1) for position in positions)
            origin = tr("writing.chosen", places=numbers)
        html = translation(text, origin, lang=language)
        if with_tokens and isinstance(trace, Trace):
            html += subwords(
                trace.next_tokens,
                trace.log_probs.tolist(),
                label=tr("subwords.label"),
                lang=t.languages[1],
            )
        st.html(html)

        # 3. Show the doubts about the translation
        if trace.truncated:
            st.html(alert(tr("translation.truncated")))
        show_doubts(t, trace, tr)
        if isinstance(trace, Trace):
            return trace
        st.page_link(PAGES["from_rnn"], label=tr("translation.recurrent"))
    return None
