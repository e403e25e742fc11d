"""From RNN: the Transformer beside its recurrent predecessors."""

import streamlit as st

from ui.frame.page import open_page
from ui.frame.pickers import ask_sentence, view_picker
from ui.from_rnn.length import show_length
from ui.from_rnn.lineage import checkpoints_to_compare, show_other_languages
from ui.from_rnn.side_by_side import show_side_by_side
from ui.from_rnn.states import show_gates, show_memory
from ui.text.examples import REORDERED, SENTENCES

SENTENCE_VIEWS = {"side": show_side_by_side, "memory": show_memory, "gates": show_gates}

with open_page("from_rnn", views=(*SENTENCE_VIEWS, "length")) as (tr, run):
    address = run.address
    checkpoints = checkpoints_to_compare(address)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        view = view_picker(run, tr)
        show_other_languages(checkpoints, address, tr)
    if view == "length":
        show_length(checkpoints, tr)
    else:
        ask_sentence(tr, (*REORDERED, *SENTENCES))
        SENTENCE_VIEWS[view](checkpoints, address, tr)
