"""All heads of a model: what they do over a corpus, and how much they matter."""

from __future__ import annotations

import streamlit as st

from ui.address import SHARED
from ui.choices import keep_choices, read_choices
from ui.heads.page import open_analysis, show_alignment, show_catalogue, show_pruning
from ui.lesson import lesson_model
from ui.models import fitting
from ui.page import open_page

tr = open_page("heads")
address = fitting(read_choices("heads", SHARED))
keep_choices("heads", address, SHARED)

if lesson_model(address) and (analysis := open_analysis(address, tr)):
    show_catalogue(analysis, address, tr)
    pruning, alignment = st.columns(2, gap="large")
    with pruning:
        show_pruning(analysis, tr)
    with alignment:
        show_alignment(analysis, tr)
