"""The explorer: every attention of every layer and head, for one sentence."""

import streamlit as st

from ui.explorer.attention_map import show_grid, show_grid_of_second, show_lines
from ui.explorer.compare import show_compare
from ui.explorer.decoding_steps import show_steps
from ui.explorer.opened_cell import show_map_and_cell, show_reveal
from ui.explorer.options import ask_options, ask_what, show_reading
from ui.explorer.translation import translate
from ui.explorer.view import explorer_view
from ui.explorer.without_heads import show_beam, show_logit_lens, show_space
from ui.frame.page import open_page
from ui.frame.pickers import ask_sentence, ask_translation
from ui.state.address import EXPLORER, WIDE
from ui.tour.facts import of_map
from ui.tour.tour import show_tour

with open_page("explorer", EXPLORER) as (tr, run):
    address = run.address

    ask_sentence(tr)
    if trace := translate(run, tr, with_tokens=True):
        whole = view = explorer_view(run.model, trace, address)
        second = None
        ask_what(view, tr)
        if address.panel in WIDE:
            large = st.container()
            glance, beside = st.columns([3, 2], gap="large")
        else:
            large, beside = st.columns([3, 2], gap="large")
            glance = beside
        with beside:
            is_open, view, wanted, cell = ask_options(view, tr)
        with large:
            match address.panel:
                case "map":
                    if not is_open:
                        show_reveal(view, tr)
                    show_map_and_cell(view, cell, tr)
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
        with glance:
            show_grid(view, wanted, tr)
            if second and address.beside == "checkpoint":
                show_grid_of_second(second, tr)
        show_reading(view, tr)
        show_tour("explorer", run, tr, lambda: of_map(whole.map, whole.labels))
    else:
        with st.expander(tr("options.label"), expanded=True):
            ask_translation(tr)  # another checkpoint, for one
        show_tour("explorer", run, tr)
