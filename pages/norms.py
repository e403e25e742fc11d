"""Lesson."""

from __future__ import annotations

from ui.address import SHARED
from ui.choices import keep_choices, read_choices
from ui.lesson import close_lesson, lesson_sentence, open_lesson
from ui.models import fitting

tr = open_lesson("norms")
address = fitting(read_choices("norms", SHARED))
keep_choices("norms", address, SHARED)
trace = lesson_sentence(address, tr)
close_lesson("norms", tr)
