"""Lesson: why the scores are divided by √d_k, and what a softmax makes of them."""

from ui.frame.page import close_lesson, lesson_sentence, open_page
from ui.frame.pickers import view_picker
from ui.lessons.scaling import pick_row, show_bench, show_dimension, show_temperature
from ui.state.address import ONE_HEAD, SHARED

tr, run = open_page("scaling", (*SHARED, *ONE_HEAD), ("dimension", "temperature", "bench"))

view = view_picker(run, tr)
if view == "dimension":
    show_dimension(tr)
elif trace := lesson_sentence(run, tr):
    row = pick_row(trace, run, tr)
    if view == "temperature":
        show_temperature(row, tr)
    else:
        show_bench(row, tr)
close_lesson("scaling", tr)
