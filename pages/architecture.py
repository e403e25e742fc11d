"""Lesson 7: the whole machine, from a token to the next one."""

from __future__ import annotations

from ui.address import SHARED
from ui.architecture.machine import show_machine
from ui.architecture.questions import show_questions
from ui.choices import keep_choices, read_choices
from ui.lesson import close_lesson, lesson_sentence, open_lesson
from ui.models import fitting

CHOICES = (*SHARED, "layer")

tr = open_lesson("architecture")
address = fitting(read_choices("architecture", CHOICES))
keep_choices("architecture", address, CHOICES)

if trace := lesson_sentence(address, tr):
    show_machine(trace, address, tr)
show_questions(tr)
close_lesson("architecture", tr)
