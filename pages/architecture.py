"""Lesson 7: the whole machine, from a token to the next one."""

from __future__ import annotations

from ui.frame.lesson import close_lesson, lesson_sentence, open_lesson
from ui.lessons.architecture.machine import show_machine, show_questions
from ui.state.address import SHARED
from ui.state.models import open_run

CHOICES = (*SHARED, "layer")

tr = open_lesson("architecture")
run = open_run("architecture", CHOICES)

if trace := lesson_sentence(run, tr):
    show_machine(trace, run, tr)
show_questions(tr)
close_lesson("architecture", tr)
