"""How attention is learned: the same model step by step, and the course of every training."""

from __future__ import annotations

import streamlit as st

from ui.address import SHARED, showing
from ui.choices import keep_choices, read_choices
from ui.laboratory.laboratory import show_laboratory
from ui.models import fitting
from ui.page import open_page
from ui.settings import view_picker
from ui.training.curves import show_curves
from ui.training.timeline import show_timeline

VIEWS = ("timeline", "curves", "laboratory")
CHOICES = (*SHARED, "show")

tr = open_page("training")
address = showing(fitting(read_choices("training", CHOICES)), VIEWS)
keep_choices("training", address, CHOICES)

match view_picker("training", VIEWS, tr):
    case "timeline":
        st.markdown(tr.section("training", "timeline"))
        show_timeline(address, tr)
    case "curves":
        st.markdown(tr.section("training", "curves"))
        show_curves(address, tr)
    case _:
        show_laboratory(tr)
