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
from ui.explorer.options import ask_options, ask_panel, ask_view, show_reading
from ui.explorer.shown_map import shown_map
from ui.explorer.space import show_space
from ui.explorer.translation import translate
from ui.frame.page import open_page
from ui.frame.pickers import ask_hub_choices, ask_sentence, ask_translation
from ui.state.address import EXPLORER, WIDE
from ui.tour.facts import of_map
from ui.tour.tour import show_tour

with open_page("explorer", EXPLORER) as (tr, run):
    # 1. Ask for the sentence, and show its translation
    ask_sentence(tr)
    ask_hub_choices(run, tr)
    trace = translate(run, tr, with_tokens=True)
    if trace is None:
        with st.expander(tr("options.label"), expanded=True):
            ask_translation(tr)  # without a translation, a different checkpoint can still be chosen
        show_tour("explorer", run, tr)
    else:
        # 2. Compute the map, and ask for its attention and its panel
        address = run.address
        whole_map = shown_map(run.model, trace, address)
        ask_panel(whole_map, tr)

        # 3. Lay out the page: wide pictures above the two columns, all others in the left column
        if address.panel in WIDE:
            picture_area = st.container()
            grid_area, options_area = st.columns([3, 2], gap="large")
        else:
            picture_area, options_area = st.columns([3, 2], gap="large")
            grid_area = options_area

        # 4. Show all other controls
        with options_area:
            ask_view(address, tr)
            options = ask_options(whole_map, tr)
        shown = options.shown

        # 5. Show the picture
        second = None
        with picture_area:
            match address.panel:
                case "map":
                    if not options.is_open:
                        show_reveal(shown, tr)
                    show_map_and_cell(shown, options.cell, tr)
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

        # 6. Show all heads as small maps
        with grid_area:
            show_grid(shown, options.wanted, tr)
            if second and address.beside == "checkpoint":
                show_grid_of_second(second, tr)

        # 7. Show the explanation of maps, and the tour
        show_reading(shown, tr)
        show_tour("explorer", run, tr, lambda: of_map(whole_map.map, whole_map.labels))
