"""Where the visitor says what to translate."""

from __future__ import annotations

from collections.abc import Sequence

from ui.frame.controls import offer, type_text
from ui.state.choices import change, shared
from ui.text.examples import SENTENCES
from ui.text.translator import Translator


def sentence_box(tr: Translator) -> None:
    """Where the visitor types."""
    type_text(
        tr("sentence.label"),
        **shared("sentence"),
        placeholder=tr("sentence.placeholder"),
        label_visibility="collapsed",
    )


def example_picker(tr: Translator, sentences: Sequence[str] = SENTENCES) -> None:
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
