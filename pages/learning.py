"""How attention is learned: one model at different training steps, and training curves."""

import streamlit as st

from ui.frame.page import open_page
from ui.frame.pickers import view_picker
from ui.laboratory.laboratory import show_laboratory
from ui.learning.curves import show_curves
from ui.learning.timeline import show_timeline

with open_page("learning", views=("timeline", "curves", "laboratory")) as (tr, run):
    match view_picker(run, tr):
        case "timeline":
            st.markdown(tr.section("learning", "timeline"))
            show_timeline(run.address, tr)
        case "curves":
            st.markdown(tr.section("learning", "curves"))
            show_curves(run.address, tr)
        case _:
            show_laboratory(tr)
