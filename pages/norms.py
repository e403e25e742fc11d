"""Lesson: the residual stream, its norms and the feed-forward layers."""

from ui.frame.page import lesson, lesson_sentence
from ui.lessons.norms.batch_norm import show_padding
from ui.lessons.norms.sentence import show_feed_forward, show_stream
from ui.lessons.norms.untrained import show_order, show_path
from ui.state.address import SHARED

VIEWS = ("stream", "padding", "order", "path", "feed_forward")

with lesson("norms", (*SHARED, "layer"), VIEWS) as (tr, run, view):
    if view == "order":
        show_order(tr)
    elif view == "path":
        show_path(tr)
    elif trace := lesson_sentence(run, tr, paper=view != "stream"):
        if view == "stream":
            show_stream(trace, run.model, tr)
        elif view == "padding":
            show_padding(trace, run.model, tr)
        else:
            show_feed_forward(trace, run.model, run.address, tr)
