"""The explorer: every attention of every layer and head, for one sentence."""

import streamlit as st

from ui.explorer.attention_map import offer_page, show_grid, show_grid_of_second, show_lines
from ui.explorer.compare import show_compare
from ui.explorer.decoding_steps import show_steps
from ui.explorer.find_head import begin_with_one, open_panel
from ui.explorer.opened_cell import ask_for_row, show_map_and_cell
from ui.explorer.translation import show_subwords, translate
from ui.explorer.view import chosen_view
from ui.explorer.without_heads import show_beam, show_logit_lens, show_space
from ui.frame.page import open_page
from ui.frame.pickers import ask_sentence, attention_picker, choose_field, map_picker, settings_box
from ui.state.address import EXPLORER, PANELS, WIDE
from ui.tour.facts import of_map
from ui.tour.tour import show_tour

tr, run = open_page("explorer", EXPLORER)
address = run.address

with ask_sentence(tr):
    settings_box(tr)
if trace := translate(run, tr):
    t, second = run.model, None
    show_subwords(trace, tr, lang=t.languages[1])
    whole = view = chosen_view(t, trace, address)
    if address.panel in WIDE:
        large = st.container()
        glance, beside = st.columns([3, 2], gap="large")
    else:
        large, glance = st.columns([3, 2], gap="large")
        beside = glance
    with large:
        with st.container(horizontal=True):
            attention_picker(tr)
            on_change = {"on_change": open_panel, "args": (begin_with_one(view),)}
            choose_field("panel", PANELS, tr, wrap=True, label_visibility="collapsed", **on_change)
        match address.panel:
            case "map":
                picture = st.container()
                view = ask_for_row(view, tr)
                with picture:
                    show_map_and_cell(view, tr)
            case "lines":
                show_lines(view, tr)
            case "steps":
                show_steps(view, tr)
            case "compare":
                second = show_compare(view, tr)
            case "beam":
                show_beam(view, tr)
            case "logit_lens":
                show_logit_lens(view, tr)
            case "space":
                show_space(view, tr)
        offer_page(view, tr)
    with glance:
        show_grid(view, tr)
        if second and address.beside == "checkpoint":
            show_grid_of_second(second, tr)
    with beside:
        map_picker(address, t, tr)
    start, end = t.tokenizer.ends
    with st.expander(tr("reading.title")):
        st.markdown(tr.content("reading"))
        st.markdown(tr("reading.ends", start=start, end=end))
    show_tour("explorer", run, tr, lambda: of_map(whole.map, whole.query_tokens, whole.key_tokens))
else:
    show_tour("explorer", run, tr)
