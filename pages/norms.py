"""Lesson: the residual stream, the norms round it and the feed-forward."""

from ui.frame.page import close_lesson, lesson_sentence, open_page
from ui.frame.pickers import view_picker
from ui.lessons.norms.batch_norm import show_padding
from ui.lessons.norms.sentence import show_feed_forward, show_stream
from ui.lessons.norms.untrained import show_order, show_path
from ui.state.address import SHARED

tr, run = open_page(
    "norms", (*SHARED, "layer"), ("stream", "padding", "order", "path", "feed_forward")
)

view = view_picker(run, tr)
if view == "order":
    show_order(tr)
elif view == "path":
    show_path(tr)
elif trace := lesson_sentence(run, tr):
    model = run.model
    if view == "stream":
        show_stream(trace, model, tr)
    elif view == "padding":
        show_padding(trace, model, tr)
    else:
        show_feed_forward(trace, model, run.address, tr)
close_lesson("norms", tr)
