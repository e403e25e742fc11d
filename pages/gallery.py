"""The gallery: prepared examples, each of which shows one phenomenon in one head."""

import streamlit as st

from ui.five_minutes.pronoun import offer_pair
from ui.frame.page import open_page
from ui.frame.pickers import target_picker, view_picker
from ui.gallery.cards import show_all, show_one
from ui.gallery.exhibits import examples_of
from ui.gallery.own import ask_own_examples, own_examples, show_own
from ui.state.presenting import is_presenting
from ui.text.markup import alert
from ui.tour.tour import end_walk, offer_walk

with open_page("gallery", ("checkpoint",), ("all", "one")) as (tr, run):
    checkpoint = run.address.checkpoint
    own = own_examples()

    prepared = examples_of(checkpoint)
    if not (prepared or own):
        st.html(alert(tr("gallery.none")))
    else:
        with st.container(horizontal=True):
            # sixteen maps on one screen of a projector cannot be read
            view = "one" if is_presenting() else view_picker(run, tr)
            target_picker(checkpoint, tr)
            offer_walk(tr)
        offer_pair(run, tr)
        if view == "all":
            end_walk()
        if own:
            show_own(run.model, own, tr, only_one=view == "one")
        elif view == "all":
            show_all(prepared, tr)
        else:
            show_one(prepared, tr)
    with st.container(key="own-examples"):
        ask_own_examples(tr)
