"""Lesson 3: how a model without recurrence knows the order of the words."""

from __future__ import annotations

import streamlit as st

from model.pictures.tokens import display
from ui.frame.lesson import close_lesson, lesson_model, lesson_sentence, open_lesson
from ui.frame.pickers import view_picker
from ui.lessons.positions.addition import show_addition
from ui.lessons.positions.contrast import show_contrast
from ui.lessons.positions.counter import show_counter
from ui.lessons.positions.distance import show_distance
from ui.lessons.positions.helix import show_helix
from ui.lessons.positions.matrix import show_matrix
from ui.lessons.positions.own import tell_own
from ui.lessons.positions.rotation import show_rotation
from ui.lessons.positions.waves import show_waves
from ui.lessons.positions.word_order import show_order
from ui.state.address import SHARED
from ui.state.models import open_run

VIEWS = (
    *("matrix", "order", "waves", "helix", "counter"),
    *("distance", "rotation", "addition", "contrast"),
)
CHOICES = (*SHARED, "show")

tr = open_lesson("positions")
run = open_run("positions", CHOICES, VIEWS)

view = view_picker("positions", VIEWS, tr)
if view in ("matrix", "addition"):
    if trace := lesson_sentence(run, tr):
        model = run.model
        tell_own(model.config, tr)
        if view == "matrix":
            positions, layout = model.model.src_embedding.positions, model.config.positions
            show_matrix(positions, layout, display(trace.src_tokens), model.languages[0], tr)
        else:
            show_addition(trace, model, tr)
            st.markdown(tr.section("positions", "addition"))
else:
    if model := lesson_model(run, tr):
        d_model, max_length = model.config.d_model, model.config.max_length
        tell_own(model.config, tr)
        match view:
            case "order":
                show_order(model, tr)
                st.markdown(tr.section("positions", "order"))
            case "waves":
                show_waves(d_model, tr)
            case "helix":
                show_helix(d_model, tr)
                st.markdown(tr.section("positions", "helix"))
            case "counter":
                show_counter(d_model, tr)
                st.markdown(tr.section("positions", "counter"))
            case "distance":
                show_distance(d_model, tr)
                st.markdown(tr.section("positions", "distance"))
            case "rotation":
                show_rotation(d_model, max_length, tr)
                st.markdown(tr.section("positions", "rotation"))
            case "contrast":
                show_contrast(max_length, d_model, tr)
close_lesson("positions", tr)
