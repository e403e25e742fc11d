"""Lesson: the whole model, from a source token to the next target token."""

from ui.frame.page import lesson, lesson_sentence
from ui.frame.paper_path import show_paper_table
from ui.lessons.architecture.machine import show_machine, show_questions
from ui.state.address import SHARED

with lesson("architecture", (*SHARED, "layer")) as (tr, run, _):
    if trace := lesson_sentence(run, tr, paper=True):
        show_machine(trace, run, tr)
    show_questions(tr)
    show_paper_table(tr)
