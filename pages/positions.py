"""Lesson: how a model without recurrence knows the order of the words."""

from ui.frame.page import lesson, lesson_model, lesson_sentence
from ui.lessons.positions import model, waves

VIEWS = {
    "matrix": model.show_matrix,
    "order": model.show_order,
    "waves": waves.show_waves,
    "helix": waves.show_helix,
    "counter": waves.show_counter,
    "distance": waves.show_distance,
    "rotation": waves.show_rotation,
    "addition": model.show_addition,
    "contrast": model.show_contrast,
}

with lesson("positions", views=[*VIEWS]) as (tr, run, view):
    if view in ("matrix", "addition"):
        if trace := lesson_sentence(run, tr):
            model.show_differences(run.model.config, tr)
            VIEWS[view](trace, run.model, tr)
    elif t := lesson_model(run, tr):
        model.show_differences(t.config, tr)
        VIEWS[view](t, tr)
