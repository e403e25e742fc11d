"""Lesson: why scores are divided by √d_k, and the effect of the softmax."""

from ui.frame.page import lesson, lesson_sentence
from ui.lessons.scaling import pick_row, show_bench, show_dimension, show_temperature
from ui.state.address import ONE_HEAD, SHARED

VIEWS = ("dimension", "temperature", "bench")

with lesson("scaling", (*SHARED, *ONE_HEAD), VIEWS) as (tr, run, view):
    if view == "dimension":
        show_dimension(tr)
    elif trace := lesson_sentence(run, tr, paper=True):
        row = pick_row(trace, run, tr)
        if view == "temperature":
            show_temperature(row, tr)
        else:
            show_bench(row, tr)
