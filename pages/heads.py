"""All heads of a model: their behaviour over a corpus, and their importance."""

import streamlit as st

from ui.five_minutes.pronoun import offer_pair
from ui.frame.page import lesson_model, open_page, show_problems
from ui.heads.sections import open_analysis, show_alignment, show_guided, show_pruning
from ui.heads.table import show_catalogue

with open_page("heads") as (tr, run):
    if t := lesson_model(run, tr):
        show_guided(t, tr)
        offer_pair(run, tr)
        if analysis := open_analysis(t, tr):
            with show_problems(tr):  # this server's limit may be shorter than the example sentences
                show_catalogue(analysis, run, tr)
            pruning, alignment = st.columns(2, gap="large")
            with pruning:
                show_pruning(analysis, t, tr)
            with alignment:
                show_alignment(analysis, tr)
