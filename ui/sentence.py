"""Where the visitor says what to translate."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from ui.choices import set_choice, widget_key
from ui.examples import SENTENCES
from ui.limits import sentence_characters
from ui.translator import Translator

_EXAMPLE = "example"


def sentence_box(tr: Translator) -> None:
    """Where the visitor types."""
    st.text_input(
        tr("sentence.label"),
        max_chars=sentence_characters(),
        key=widget_key("sentence"),
        placeholder=tr("sentence.placeholder"),
        autocomplete="off",
        label_visibility="collapsed",
    )


def example_picker(tr: Translator, sentences: Sequence[str] = SENTENCES) -> None:
    """Sentences that are worth looking at; picking one fills the box."""
    st.selectbox(
        tr("examples.label"),
        sentences,
        index=None,
        key=_EXAMPLE,
        placeholder=tr("examples.placeholder"),
        on_change=_take_example,
        label_visibility="collapsed",
        width=190,
    )


def _take_example() -> None:
    if st.session_state[_EXAMPLE] is not None:
        set_choice("sentence", st.session_state[_EXAMPLE])
        st.session_state[_EXAMPLE] = None
