"""Lesson: the cost of attention, in theory, in measured time and in memory."""

from ui.frame.page import lesson, lesson_sentence
from ui.lessons.cost import show_memory, show_table, show_timing

with lesson("cost", views=("table", "timing", "memory")) as (tr, run, view):
    if view == "table":
        show_table(tr)
    elif view == "timing":
        show_timing(tr)
    elif trace := lesson_sentence(run, tr):
        show_memory(trace, run.model, tr)
