"""Lesson 6: what attention costs, on paper, on the clock and in memory."""

from __future__ import annotations

from ui.frame.lesson import close_lesson, lesson_sentence, open_lesson
from ui.frame.pickers import view_picker
from ui.lessons.cost import show_memory, show_table, show_timing
from ui.state.address import SHARED
from ui.state.models import open_run

VIEWS = ("table", "timing", "memory")
CHOICES = (*SHARED, "show")

tr = open_lesson("cost")
run = open_run("cost", CHOICES, VIEWS)

view = view_picker("cost", VIEWS, tr)
if view == "table":
    show_table(tr)
elif view == "timing":
    show_timing(tr)
elif trace := lesson_sentence(run, tr):
    show_memory(trace, run.model, tr)
close_lesson("cost", tr)
