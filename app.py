"""Entry of the app: one sentence, its translation, and where the model looks while it writes."""

from __future__ import annotations

import streamlit as st

from ui.explorer.translation import translate
from ui.explorer.writing import show_writing
from ui.frame.facts import show_model
from ui.frame.page import open_page, show_doors
from ui.frame.pickers import target_picker
from ui.frame.sentence import example_chips, sentence_box
from ui.server.few_files import few_files
from ui.server.ready import check_limits, ready
from ui.state.address import SHARED, Address
from ui.state.choices import keep_choices, read_choices
from ui.state.models import fitting
from ui.tour.tour import invite, show_tour

if __name__ == "__main__":  # a visit
    tr = open_page("welcome")
    address = fitting(read_choices("welcome", SHARED))
    keep_choices("welcome", address, SHARED)

    with st.container(key="stage"):
        invite(tr)
        with st.container(key="question", horizontal=True, vertical_alignment="center"):
            sentence_box(tr)
            target_picker(address.checkpoint, tr)
        example_chips(tr)
        here = Address(sentence=address.sentence, checkpoint=address.checkpoint)
        trace = translate(here, tr)
        if trace:
            show_writing(trace, here, tr)
            show_model(here.checkpoint, tr)
        show_doors(tr)
    show_tour("welcome", address, tr)
else:  # the server, which `streamlit run app.py` starts
    check_limits()
    app = st.App("app.py", lifespan=ready, middleware=[few_files])
