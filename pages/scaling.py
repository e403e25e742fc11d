"""Lesson 4: why the scores are divided by √d_k, and what a softmax makes of them."""

from __future__ import annotations

import streamlit as st

from ui.frame.lesson import close_lesson, lesson_sentence, open_lesson
from ui.frame.pickers import view_picker
from ui.lessons.scaling.dimension import show_dimension
from ui.lessons.scaling.row import about_row, pick_row
from ui.lessons.scaling.score_functions import show_bench
from ui.lessons.scaling.temperature import show_temperature
from ui.state.address import SHARED
from ui.state.models import open_run

VIEWS = ("dimension", "temperature", "bench")
SENTENCE = (*SHARED, "attention", "layer", "head")
CHOICES = ("show", *SENTENCE)

tr = open_lesson("scaling")
run = open_run("scaling", CHOICES, VIEWS)

view = view_picker("scaling", VIEWS, tr)
if view == "dimension":
    show_dimension(tr)
elif trace := lesson_sentence(run, tr):
    row = pick_row(trace, run.address, tr)
    what = about_row(row, trace, run)
    if view == "temperature":
        show_temperature(row, what, tr)
        st.markdown(tr.section("scaling", "temperature"))
    else:
        show_bench(row, what, tr)
        st.markdown(tr.section("scaling", "bench"))
close_lesson("scaling", tr)
