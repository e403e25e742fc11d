"""The explorer: every attention of every layer and head, for one sentence."""

import streamlit as st

from ui.explorer.all_heads import show_grid, show_grid_of_second
from ui.explorer.beam import show_beam
from ui.explorer.compare import show_compare
from ui.explorer.covered_row import show_reveal
from ui.explorer.decoding_steps import show_steps
from ui.explorer.lines import show_lines
from ui.explorer.logit_lens import show_logit_lens
from ui.explorer.opened_cell import show_map_and_cell
from ui.explorer.options import ask_options, ask_what, show_reading
from ui.explorer.shown_map import shown_map
from ui.explorer.space import show_space
from ui.explorer.translation import translate
from ui.frame.page import open_page
from ui.frame.pickers import ask_sentence, ask_translation
from ui.state.address import EXPLORER, WIDE
from ui.tour.facts import of_map
from ui.tour.tour import show_tour

with open_page("explorer", EXPLORER) as (tr, run):
    address = run.address

    ask_sentence(tr)
    if trace := translate(run, tr, with_tokens=True):
        uncovered = shown_map(run.model, trace, address)
        second = None
        ask_what(uncovered, tr)
        if address.panel in WIDE:
            large = st.container()
            glance, beside = st.columns([3, 2], gap="large")
        else:
            large, beside = st.columns([3, 2], gap="large")
            glance = beside
        with beside:
            is_open, shown, wanted, cell = ask_options(uncovered, tr)
        with large:
            match address.panel:
                case "map":
                    if not is_open:
                        show_reveal(shown, tr)
                    show_map_and_cell(shown, cell, tr)
                case "lines":
                    show_lines(shown, tr)
                case "steps":
                    show_steps(shown, tr)
                case "compare":
                    second = show_compare(shown, tr)
                case "beam":
                    show_beam(shown, tr)
                case "logit_lens":
                    show_logit_lens(shown, tr)
                case "space":
                    show_space(shown, tr)
        with glance:
            show_grid(shown, wanted, tr)
            if second and address.beside == "checkpoint":
                show_grid_of_second(second, tr)
        show_reading(shown, tr)
        show_tour("explorer", run, tr, lambda: of_map(uncovered.map, uncovered.labels))
    else:
        with st.expander(tr("options.label"), expanded=True):
            ask_translation(tr)  # another checkpoint, for one
        show_tour("explorer", run, tr)
