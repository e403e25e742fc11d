"""All heads of a model: what they do over a corpus, and how much they matter."""

from __future__ import annotations

import streamlit as st

from ui.frame.lesson import lesson_model
from ui.frame.page import open_page
from ui.frame.problems import problems_told
from ui.heads.alignment import show_alignment
from ui.heads.guided import tell_guided
from ui.heads.sections import open_analysis, show_pruning
from ui.heads.table import show_catalogue
from ui.state.address import SHARED
from ui.state.choices import keep_choices, read_choices
from ui.state.models import fitting

tr = open_page("heads")
address = fitting(read_choices("heads", SHARED))
keep_choices("heads", address, SHARED)

if model := lesson_model(address, tr):
    tell_guided(model, tr)
    if analysis := open_analysis(address, tr):
        with problems_told(tr):  # a limit of this server may be shorter than its examples
            show_catalogue(analysis, address, tr)
        pruning, alignment = st.columns(2, gap="large")
        with pruning:
            show_pruning(analysis, address, tr)
        with alignment:
            show_alignment(analysis, tr)
