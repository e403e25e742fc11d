"""What every lesson begins and ends with: its place among the others, its idea, a thing to try."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from ui.frame.page import LESSONS, PAGES, open_page, show_place
from ui.frame.problems import problems_told
from ui.frame.sentence import example_picker, sentence_box
from ui.state.address import Address
from ui.state.models import open_model, open_trace
from ui.text.markup import gloss
from ui.text.translator import Translator

if TYPE_CHECKING:
    from model import Trace, TranslationModel


def open_lesson(name: str) -> Translator:
    """Draw the frame of a lesson, its idea and equation, and one thing to try.

    Args:
        name: one of ``LESSONS``; the text stands in ``content/<language>/<name>.md`` under
            ``# idea`` and ``# try``.
    """
    tr = open_page(name)
    with st.container(key="lessons", horizontal=True, vertical_alignment="center", gap="small"):
        for n, lesson in enumerate(LESSONS, start=1):
            label = tr("lesson.bar", n=n, page=tr(f"page.{lesson}"))
            show_place(lesson, label, here=lesson == name)
    with st.container(key="idea"):
        idea, attempt = st.columns([7, 4], gap="large", vertical_alignment="center")
        idea.markdown(tr.section(name, "idea"))
        with attempt.container(key="try"):
            st.markdown(f"**{tr('lesson.try')}** {tr.section(name, 'try')}")
    return tr


def close_lesson(name: str, tr: Translator) -> None:
    """The way on to the next lesson."""
    following = LESSONS[LESSONS.index(name) + 1 :]
    if following:
        label = tr("lesson.next", page=tr(f"page.{following[0]}"))
        st.page_link(PAGES[following[0]], label=label)


def lesson_sentence(address: Address, tr: Translator) -> Trace | None:
    """The visitor's sentence, to be changed here too, and its trace; None where there is none.

    Args:
        address: its sentence and checkpoint count; lessons translate greedily.
        tr: the visitor's language.
    """
    with st.container(key="question", horizontal=True, vertical_alignment="center"):
        sentence_box(tr)
        example_picker(tr)
    with problems_told(tr):
        trace = open_trace(address.checkpoint, address.sentence, target="", beam=1)
        text = trace.target_text or tr("translation.empty")
        lang = open_model(address.checkpoint).languages[1]
        st.html(gloss(tr("lesson.translation"), text, lang=lang))
        return trace
    return None


def lesson_model(address: Address, tr: Translator) -> TranslationModel | None:
    """The model alone, for what needs no sentence; None, and a word about it, if it is no use."""
    with problems_told(tr):
        return open_model(address.checkpoint)
    return None
