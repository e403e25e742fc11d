"""Lesson: three attentions and two masks."""

from ui.frame.page import lesson, lesson_sentence
from ui.lessons.masks.batch import show_batch, show_forcing, show_sources
from ui.lessons.masks.cheating import show_cheating
from ui.lessons.masks.editor import show_editor
from ui.lessons.masks.visible_padding import show_padding_seen
from ui.state.address import ONE_HEAD, SHARED

VIEWS = ("editor", "batch", "sources", "cheating", "padding", "forcing")

with lesson("masks", (*SHARED, *ONE_HEAD), VIEWS) as (tr, run, view):
    if view == "cheating":
        show_cheating(tr)
    elif trace := lesson_sentence(run, tr):
        t = run.model
        match view:
            case "sources":
                show_sources(trace, t, tr)
            case "batch":
                show_batch(t, run.address, tr)
            case "editor":
                show_editor(trace, t, tr)
            case "padding":
                show_padding_seen(trace, t, run.address.sentence, tr)
            case _:
                show_forcing(trace, t, tr)
