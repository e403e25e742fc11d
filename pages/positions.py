"""Lesson: how a model without recurrence represents word order."""

from ui.frame.page import lesson, lesson_model, lesson_sentence
from ui.lessons.positions.model import (
    has_relative_bias,
    show_addition,
    show_contrast,
    show_matrix,
    show_order,
    show_relative_bias,
)
from ui.lessons.positions.waves import (
    show_counter,
    show_distance,
    show_helix,
    show_rotation,
    show_waves,
)

VIEWS = (
    "matrix",
    "order",
    "waves",
    "helix",
    "counter",
    "distance",
    "rotation",
    "addition",
    "contrast",
)
SENTENCE_VIEWS = {"matrix": show_matrix, "addition": show_addition}
MODEL_VIEWS = {
    "order": show_order,
    "waves": show_waves,
    "helix": show_helix,
    "counter": show_counter,
    "distance": show_distance,
    "rotation": show_rotation,
    "contrast": show_contrast,
}

with lesson("positions", views=VIEWS) as (tr, run, view):
    if view in SENTENCE_VIEWS:
        if trace := lesson_sentence(run, tr, paper=True):
            SENTENCE_VIEWS[view](trace, run.model, tr)
    elif view == "contrast" and has_relative_bias(run):
        if model := lesson_model(run, tr):  # says what differs from the paper
            show_relative_bias(model, tr)
    elif model := lesson_model(run, tr, paper=True):
        MODEL_VIEWS[view](model, tr)
