"""Lesson: how attention works, in eight steps on one screen each."""

from ui.five_minutes.lesson import show_lesson
from ui.frame.page import open_page
from ui.state.address import LESSON, SHARED

with open_page("five_minutes", (*SHARED, *LESSON)) as (tr, run):
    show_lesson(run, tr)
