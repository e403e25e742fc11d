"""Lesson: the whole machine, from a token to the next one."""

from ui.frame.page import close_lesson, lesson_sentence, open_page
from ui.lessons.architecture.machine import show_machine, show_questions
from ui.state.address import SHARED

tr, run = open_page("architecture", (*SHARED, "layer"))

if trace := lesson_sentence(run, tr):
    show_machine(trace, run, tr)
show_questions(tr)
close_lesson("architecture", tr)
