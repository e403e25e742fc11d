"""Lesson 2: three attentions and two masks."""

from __future__ import annotations

from ui.address import SHARED, showing
from ui.choices import keep_choices, read_choices
from ui.lesson import close_lesson, lesson_sentence, open_lesson
from ui.masks.batch import show_batch
from ui.masks.cheating import show_cheating
from ui.masks.editor import show_editor
from ui.masks.padding import show_padding_seen
from ui.masks.sources import show_forcing, show_sources
from ui.models import fitting, open_model
from ui.settings import view_picker

PLACE = ("attention", "layer", "head")
VIEWS = ("sources", "batch", "editor", "cheating", "padding", "forcing")
CHOICES = (*SHARED, "show", *PLACE)

tr = open_lesson("masks")
address = showing(fitting(read_choices("masks", CHOICES)), VIEWS)
keep_choices("masks", address, CHOICES)

view = view_picker("masks", VIEWS, tr)
if view == "cheating":
    show_cheating(tr)
elif trace := lesson_sentence(address, tr):
    t = open_model(address.checkpoint)
    match view:
        case "sources":
            show_sources(trace, t, tr)
        case "batch":
            show_batch(t, address, tr)
        case "editor":
            show_editor(trace, t, tr)
        case "padding":
            show_padding_seen(trace, t, address, tr)
        case _:
            show_forcing(trace, t, tr)
close_lesson("masks", tr)
