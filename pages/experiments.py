"""Experiments that test whether attention maps explain what the model computes."""

import streamlit as st

from ui.experiments.ablations import show_ablations
from ui.experiments.contrast import show_contrast
from ui.experiments.guess_the_head import show_question
from ui.experiments.leave_one_out import show_left_out
from ui.experiments.linking_heads import show_linking_heads
from ui.experiments.scoreboard import show_scoreboard
from ui.experiments.two_sentences import show_pair, show_untrained
from ui.frame.page import lesson_sentence, open_page
from ui.frame.pickers import view_picker
from ui.state.address import EXPERIMENTS, ONE_HEAD, SHARED
from ui.tour.facts import of_removal
from ui.tour.tour import show_tour

with open_page(
    "experiments",
    (*SHARED, *ONE_HEAD, *EXPERIMENTS),
    ("ablations", "links", "contrast", "left_out", "scoreboard", "pair", "untrained"),
) as (tr, run):
    view = view_picker(run, tr)
    st.caption(tr(f"experiments.about_{view}"))
    if trace := lesson_sentence(run, tr):
        t = run.model
        address = run.address
        match view:
            case "ablations":
                show_question(trace, t, tr)
                with st.container(key="workbench"):
                    show_ablations(trace, t, address, tr)
            case "links":
                show_linking_heads(trace, t, address, tr)
            case "contrast":
                show_contrast(trace, t, tr)
            case "left_out":
                show_left_out(trace, t, address, tr)
            case "scoreboard":
                show_scoreboard(trace, t, tr)
            case "pair":
                show_pair(trace, t, address, tr)
            case _:
                show_untrained(trace, t, address, tr)
    show_tour("experiments", run, tr, lambda: of_removal(trace, run) if trace else {})
