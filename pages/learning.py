"""How attention is learned: one model at different training steps, and training curves."""

import streamlit as st

from ui.frame.page import open_page
from ui.frame.pickers import view_picker
from ui.laboratory.laboratory import show_laboratory
from ui.learning.curves import show_curves
from ui.learning.timeline import show_timeline

with open_page("learning", views=("timeline", "curves", "laboratory")) as (tr, run):
    views = st.container(horizontal=True)
    with views:
        view = view_picker(run, tr)
    match view:
        case "timeline":
            show_timeline(run.address, tr, row=views)
        case "curves":
            show_curves(run.address, tr)
            st.markdown(tr.section("learning", "curves"))
        case _:
            show_laboratory(tr)
