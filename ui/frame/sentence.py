"""Where the visitor says what to translate."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from ui.frame.controls import offer, type_text
from ui.state.choices import change, shared
from ui.text.examples import FIRST_SENTENCES, SENTENCES
from ui.text.translator import Translator


def sentence_box(tr: Translator) -> None:
    """Where the visitor types."""
    type_text(
        tr("sentence.label"),
        **shared("sentence"),
        placeholder=tr("sentence.placeholder"),
        label_visibility="collapsed",
    )


def ask_sentence(
    tr: Translator, sentences: Sequence[str] = SENTENCES
) -> st.delta_generator.DeltaGenerator:
    """The box and the examples beside it, in a row to which more can be added."""
    row = st.container(key="question", horizontal=True, vertical_alignment="center")
    with row:
        sentence_box(tr)
        example_picker(tr, sentences)
    return row


def example_chips(tr: Translator, sentences: Sequence[str] = FIRST_SENTENCES) -> None:
    """The same as buttons, of which all are in sight."""
    with st.container(key="chips", horizontal=True, gap="xsmall"):
        st.caption(tr("examples.chips"))
        for n, sentence in enumerate(sentences):
            st.button(sentence, key=f"chip.{n}", on_click=change, kwargs={"sentence": sentence})


def example_picker(tr: Translator, sentences: Sequence[str]) -> None:
    """Sentences that are worth looking at; picking one fills the box."""
    offer(
        tr("examples.label"),
        sentences,
        key="example",
        take=lambda sentence: change(sentence=sentence),
        placeholder=tr("examples.placeholder"),
        label_visibility="collapsed",
        width=190,
    )
