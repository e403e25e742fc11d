"""Lesson 6: what attention costs, on paper, on the clock and in memory."""

from __future__ import annotations

from ui.address import SHARED, showing
from ui.choices import keep_choices, read_choices
from ui.cost.memory import show_memory
from ui.cost.table import show_table
from ui.cost.timing import show_timing
from ui.lesson import close_lesson, lesson_sentence, open_lesson
from ui.models import fitting, open_model
from ui.settings import view_picker

VIEWS = ("table", "timing", "memory")
CHOICES = (*SHARED, "show")

tr = open_lesson("cost")
address = showing(fitting(read_choices("cost", CHOICES)), VIEWS)
keep_choices("cost", address, CHOICES)

view = view_picker("cost", VIEWS, tr)
if view == "table":
    show_table(tr)
elif view == "timing":
    show_timing(tr)
elif trace := lesson_sentence(address, tr):
    show_memory(trace, open_model(address.checkpoint), tr)
close_lesson("cost", tr)
