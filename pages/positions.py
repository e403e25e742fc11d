"""Lesson: how a model without recurrence knows the order of the words."""

import streamlit as st

from ui.frame.page import close_lesson, lesson_model, lesson_sentence, open_page
from ui.frame.pickers import view_picker
from ui.lessons.positions.distance import show_distance, show_rotation
from ui.lessons.positions.model import (
    show_addition,
    show_contrast,
    show_differences,
    show_matrix,
    show_order,
)
from ui.lessons.positions.waves import show_counter, show_helix, show_waves

VIEWS = (
    *("matrix", "order", "waves", "helix", "counter"),
    *("distance", "rotation", "addition", "contrast"),
)

tr, run = open_page("positions", views=VIEWS)

view = view_picker(run, tr)
if view in ("matrix", "addition"):
    if trace := lesson_sentence(run, tr):
        show_differences(run.model.config, tr)
        if view == "matrix":
            show_matrix(trace, run.model, tr)
        else:
            show_addition(trace, run.model, tr)
elif model := lesson_model(run, tr):
    d_model, max_length = model.config.d_model, model.config.max_length
    show_differences(model.config, tr)
    match view:
        case "order":
            show_order(model, tr)
            st.markdown(tr.section("positions", "order"))
        case "waves":
            show_waves(d_model, tr)
        case "helix":
            show_helix(d_model, tr)
        case "counter":
            show_counter(d_model, tr)
        case "distance":
            show_distance(d_model, tr)
        case "rotation":
            show_rotation(d_model, max_length, tr)
        case "contrast":
            show_contrast(max_length, d_model, tr)
close_lesson("positions", tr)
