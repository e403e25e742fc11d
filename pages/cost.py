"""Lesson: what attention costs, on paper, on the clock and in memory."""

from ui.frame.page import close_lesson, lesson_sentence, open_page
from ui.frame.pickers import view_picker
from ui.lessons.cost import show_memory, show_table, show_timing

tr, run = open_page("cost", views=("table", "timing", "memory"))

view = view_picker(run, tr)
if view == "table":
    show_table(tr)
elif view == "timing":
    show_timing(tr)
elif trace := lesson_sentence(run, tr):
    show_memory(trace, run.model, tr)
close_lesson("cost", tr)
