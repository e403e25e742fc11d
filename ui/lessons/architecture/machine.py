"""The figure and the box where the walk stands, side by side."""

from __future__ import annotations

import streamlit as st

from model import Trace
from model.lessons.architecture.parts import parts
from ui.lessons.architecture.details import show_details
from ui.lessons.architecture.figure import show_boxes
from ui.lessons.architecture.walk import stop_of, walk_controls
from ui.state.models import PageRun
from ui.text.translator import Translator


def show_machine(trace: Trace, run: PageRun, tr: Translator) -> None:
    """The whole model of this checkpoint, and one token on its way through it."""
    model = run.model
    boxes = parts(model.model)
    stop = stop_of(run.address, boxes, trace)
    part = next(box for box in boxes if box.name == stop.part)
    figure, details = st.columns(2, gap="large")
    with figure:
        show_boxes(boxes, stop, trace, model, tr)
    with details:
        walk_controls(stop, boxes, trace, tr)
        show_details(part, stop, trace, model, tr)
