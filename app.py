"""Start page of the app: a sentence, its translation, and where the model looks."""

from dataclasses import replace

import streamlit as st

from ui.components.own_files import own_files
from ui.explorer.chosen_tokens import chosen_tokens
from ui.explorer.model_facts import show_model
from ui.explorer.translation import translate
from ui.explorer.writing import show_writing
from ui.frame.page import FIVE_MINUTES, PAGES, open_page, show_links_to_pages
from ui.frame.pickers import ask_hub_choices, example_chips, sentence_box, target_picker
from ui.server.first_paint import first_paint
from ui.server.kept_files import keep_files
from ui.server.lifespan import check_settings, ready
from ui.server.private_errors import hide_messages
from ui.server.request_guard import guard
from ui.server.upload_limiter import few_files
from ui.state.address import Address
from ui.tour.tour import invite, show_tour

if __name__ == "__main__":  # a visit: run the start page
    with open_page("welcome") as (tr, run):
        with st.container(key="stage"):
            with st.container(key="begin"):
                st.page_link(PAGES[FIVE_MINUTES], label=tr("five_minutes.start"))
            invite(tr)
            with st.container(key="question", horizontal=True, vertical_alignment="center"):
                sentence_box(tr)
                target_picker(run.address.checkpoint, tr)
            ask_hub_choices(run, tr)
            example_chips(tr)
            # without what the visitor chose elsewhere, such as a beam: this page cannot change it
            here = Address(sentence=run.address.sentence, checkpoint=run.address.checkpoint)
            chosen = chosen_tokens(run)
            if trace := translate(replace(run, address=here), tr, chosen=chosen):
                show_writing(trace, run.model, tr, chosen)
                show_model(run.model, tr)
            show_links_to_pages(tr)
        show_tour("welcome", run, tr)
else:  # the server, which `streamlit run app.py` starts
    check_settings()
    hide_messages()
    keep_files()
    app = st.App(
        "app.py", lifespan=ready, routes=[own_files], middleware=[guard, few_files, first_paint]
    )
