"""How attention is learned: the same model step by step, and the course of every training."""

from __future__ import annotations

import streamlit as st

from ui.frame.page import open_page
from ui.frame.pickers import view_picker
from ui.laboratory.laboratory import show_laboratory
from ui.learning.curves import show_curves
from ui.learning.timeline import show_timeline
from ui.state.address import SHARED
from ui.state.models import open_run

VIEWS = ("timeline", "curves", "laboratory")
CHOICES = (*SHARED, "show")

tr = open_page("learning")
address = open_run("learning", CHOICES, VIEWS).address

match view_picker("learning", VIEWS, tr):
    case "timeline":
        st.markdown(tr.section("learning", "timeline"))
        show_timeline(address, tr)
    case "curves":
        st.markdown(tr.section("learning", "curves"))
        show_curves(address, tr)
    case _:
        show_laboratory(tr)
