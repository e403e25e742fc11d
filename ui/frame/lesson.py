"""What every lesson begins and ends with: its place among the others, its idea, a thing to try."""

from __future__ import annotations

import streamlit as st

from model import Trace, TranslationModel
from ui.frame.page import LESSONS, PAGES, open_page, show_place
from ui.frame.problems import problems_told
from ui.frame.sentence import ask_sentence
from ui.state.models import PageRun, trace_of
from ui.text.markup import gloss
from ui.text.translator import Translator


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


def lesson_sentence(run: PageRun, tr: Translator) -> Trace | None:
    """The visitor's sentence, to be changed here too, and its trace; None where there is none.

    Lessons translate greedily.
    """
    ask_sentence(tr)
    with problems_told(tr):
        trace = trace_of(run.model, run.address.sentence)
        text = trace.target_text or tr("translation.empty")
        st.html(gloss(tr("lesson.translation"), text, lang=run.model.languages[1]))
        return trace
    return None


def lesson_model(run: PageRun, tr: Translator) -> TranslationModel | None:
    """The model alone, for what needs no sentence; None, and a word about it, if it is no use."""
    with problems_told(tr):
        return run.model
    return None
