"""The explorer: every attention of every layer and head, for one sentence."""

from __future__ import annotations

import streamlit as st

from ui.explorer.attention_map import chosen_view, show_grid, show_lines
from ui.explorer.beam import show_beam
from ui.explorer.compare import show_compare, show_grid_of_second
from ui.explorer.decoding_steps import show_steps
from ui.explorer.first_head import begin_with_one
from ui.explorer.hidden_row import ask_for_row
from ui.explorer.logit_lens import show_logit_lens
from ui.explorer.opened_cell import show_map_and_cell
from ui.explorer.saved_page import offer_page
from ui.explorer.space import show_space
from ui.explorer.translation import show_subwords, translate
from ui.frame.page import open_page
from ui.frame.pickers import attention_picker, head_picker, panel_picker, settings_box
from ui.frame.sentence import example_picker, sentence_box
from ui.state.address import EXPLORER
from ui.state.choices import keep_choices, read_choices
from ui.state.models import fitting, open_model
from ui.tour.facts import of_map
from ui.tour.tour import show_tour

WIDE = ("beam", "logit_lens")  # a column for each token written: nothing stands at their side

tr = open_page("explorer")
address = fitting(read_choices("explorer", EXPLORER))
keep_choices("explorer", address, EXPLORER)

with st.container(key="question", horizontal=True, vertical_alignment="center"):
    sentence_box(tr)
    example_picker(tr)
    settings_box(tr)
trace = translate(address, tr)

if trace:
    model = open_model(address.checkpoint)
    ends = model.tokenizer.ends
    show_subwords(trace, tr, lang=model.languages[1])
    whole = shown = chosen_view(trace, address)
    n_layers, n_heads = shown.heads.shape[:2]
    second = None
    if address.panel in WIDE:
        large = st.container()
        glance, beside = st.columns([3, 2], gap="large")
    else:
        large, glance = st.columns([3, 2], gap="large")
        beside = glance
    with large:
        with st.container(horizontal=True):
            attention_picker(tr)
            panel_picker(tr, on_change=begin_with_one, args=(address,))
        match address.panel:
            case "map":
                picture = st.container()
                shown = ask_for_row(shown, tr)
                with picture:
                    show_map_and_cell(shown, tr)
            case "lines":
                show_lines(shown, tr)
            case "steps":
                show_steps(trace, shown.address, tr)
            case "compare":
                second = show_compare(shown, tr)
            case "beam":
                show_beam(trace, shown.address, tr)
            case "logit_lens":
                show_logit_lens(trace, shown.address, tr)
            case "space":
                show_space(trace, shown.address, tr)
        offer_page(trace, shown.address, tr)
    with glance:
        show_grid(shown, tr)
        if second and address.beside == "checkpoint":
            show_grid_of_second(second, tr)
    with beside:
        head_picker(address, n_layers=n_layers, n_heads=n_heads, ends=ends, tr=tr)
    with st.expander(tr("reading.title")):
        st.markdown(tr.content("reading"))
        st.markdown(tr("reading.ends", start=ends[0], end=ends[1]))
    show_tour(
        "explorer", address, tr, lambda: of_map(whole.map, whole.query_tokens, whole.key_tokens)
    )
else:
    show_tour("explorer", address, tr)
