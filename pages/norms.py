"""Lesson 5: the residual stream, the norms round it and the feed-forward."""

from __future__ import annotations

from ui.address import SHARED, showing
from ui.choices import keep_choices, read_choices
from ui.lesson import close_lesson, lesson_sentence, open_lesson
from ui.models import fitting, open_model
from ui.norms.feed_forward import show_feed_forward
from ui.norms.order import show_order
from ui.norms.padding import show_padding
from ui.norms.path import show_path
from ui.norms.stream import show_stream
from ui.settings import view_picker

VIEWS = ("stream", "padding", "order", "path", "feed_forward")
CHOICES = (*SHARED, "show", "layer")

tr = open_lesson("norms")
address = showing(fitting(read_choices("norms", CHOICES)), VIEWS)
keep_choices("norms", address, CHOICES)

view = view_picker("norms", VIEWS, tr)
if view == "order":
    show_order(tr)
elif view == "path":
    show_path(tr)
elif trace := lesson_sentence(address, tr):
    model = open_model(address.checkpoint)
    if view == "stream":
        show_stream(trace, model, tr)
    elif view == "padding":
        show_padding(trace, model, tr)
    else:
        show_feed_forward(trace, model, address, tr)
close_lesson("norms", tr)
