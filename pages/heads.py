"""All heads of a model: what they do over a corpus, and how much they matter."""

from __future__ import annotations

import streamlit as st

from ui.frame.lesson import lesson_model
from ui.frame.page import open_page
from ui.frame.problems import problems_told
from ui.heads.sections import open_analysis, show_alignment, show_pruning, tell_guided
from ui.heads.table import show_catalogue
from ui.state.address import SHARED
from ui.state.models import open_run

tr = open_page("heads")
run = open_run("heads", SHARED)

if t := lesson_model(run, tr):
    tell_guided(t, tr)
    if analysis := open_analysis(t, tr):
        with problems_told(tr):  # a limit of this server may be shorter than its examples
            show_catalogue(analysis, run, tr)
        pruning, alignment = st.columns(2, gap="large")
        with pruning:
            show_pruning(analysis, t, tr)
        with alignment:
            show_alignment(analysis, tr)
