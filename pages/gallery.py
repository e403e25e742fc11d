"""The gallery: prepared examples, each one thing to be seen in one head."""

from __future__ import annotations

import streamlit as st

from ui.frame.page import open_page
from ui.frame.pickers import target_picker, view_picker
from ui.gallery.cards import show_all, show_one
from ui.gallery.exhibits import places_of
from ui.state.models import open_run
from ui.text.markup import alert
from ui.tour.tour import end_walk, offer_walk

VIEWS = ("all", "one")
CHOICES = ("checkpoint", "show")

tr = open_page("gallery")
checkpoint = open_run("gallery", CHOICES, VIEWS).address.checkpoint

chosen = places_of(checkpoint)
if not chosen:
    st.html(alert(tr("gallery.none")))
else:
    with st.container(horizontal=True):
        view = view_picker("gallery", VIEWS, tr)
        target_picker(checkpoint, tr)
        offer_walk(tr)
    if view == "all":
        end_walk()
        show_all(chosen, tr)
    else:
        show_one(chosen, tr)
