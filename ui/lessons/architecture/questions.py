"""What a class asks at the end, a short answer, and the lesson whose experiment shows it."""

from __future__ import annotations

import streamlit as st

from ui.frame.page import PAGES
from ui.text.translator import Translator


def show_questions(tr: Translator) -> None:
    """Four questions, two and two where there is room."""
    questions = (
        ("additive", "scaling", "bench", tr.section("architecture", "additive")),
        ("language_model", "masks", "cheating", tr.section("architecture", "language_model")),
        ("too_long", "cost", "memory", tr.section("architecture", "too_long")),
        ("cheaper", "cost", "table", tr.section("architecture", "cheaper")),
    )
    st.space("small")
    st.header(tr("architecture.questions"), anchor=False)
    for pair in (questions[:2], questions[2:]):
        for place, (name, page, view, answer) in zip(
            st.columns(2, gap="medium"), pair, strict=True
        ):
            with place.container(border=True, height="stretch"):
                st.markdown(f"**{tr(f'architecture.question_{name}')}** {answer}")
                experiment = tr(
                    "architecture.experiment",
                    page=tr(f"page.{page}"),
                    view=tr(f"{page}.view_{view}"),
                )
                st.page_link(PAGES[page], label=experiment)
