"""Lesson: the cost of attention, in theory, in measured time and in memory; a checked draft."""

from ui.frame.page import lesson, lesson_sentence
from ui.lessons.cost import show_memory, show_table, show_timing
from ui.lessons.drafts import show_draft

with lesson("cost", views=("table", "timing", "memory", "draft")) as (tr, run, view):
    if view == "table":
        show_table(tr)
    elif view == "timing":
        show_timing(tr)
    elif trace := lesson_sentence(run, tr, paper=view == "draft"):
        if view == "memory":
            show_memory(trace, run.model, tr)
        else:
            show_draft(trace, run.model, tr)
