"""Lesson."""

from __future__ import annotations

from ui.address import SHARED
from ui.choices import keep_choices, read_choices
from ui.lesson import close_lesson, lesson_sentence, open_lesson
from ui.models import fitting

tr = open_lesson("architecture")
address = fitting(read_choices("architecture", SHARED))
keep_choices("architecture", address, SHARED)
trace = lesson_sentence(address, tr)
close_lesson("architecture", tr)
