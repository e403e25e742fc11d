"""Lesson 7: the whole machine, from a token to the next one."""

from __future__ import annotations

from ui.frame.lesson import close_lesson, lesson_sentence, open_lesson
from ui.lessons.architecture.machine import show_machine
from ui.lessons.architecture.questions import show_questions
from ui.state.address import SHARED
from ui.state.choices import keep_choices, read_choices
from ui.state.models import fitting

CHOICES = (*SHARED, "layer")

tr = open_lesson("architecture")
address = fitting(read_choices("architecture", CHOICES))
keep_choices("architecture", address, CHOICES)

if trace := lesson_sentence(address, tr):
    show_machine(trace, address, tr)
show_questions(tr)
close_lesson("architecture", tr)
