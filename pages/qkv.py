"""Lesson: queries, keys and values, one operation after another."""

from dataclasses import replace

import streamlit as st

from ui.frame.page import lesson, lesson_sentence
from ui.frame.pickers import attention_picker, place_picker
from ui.lessons.qkv.steps import choose_step, show_step, show_worksheet
from ui.lessons.qkv.walk import (
    came_by_link,
    choose_head,
    choose_source,
    offer_reset,
    show_editor,
    take_walk,
)
from ui.state.address import ONE_HEAD, SHARED

linked = came_by_link()
with lesson("qkv", (*SHARED, *ONE_HEAD)) as (tr, run, _):
    with st.container(horizontal=True, vertical_alignment="bottom"):
        classroom = choose_source(run.address, tr, linked=linked)
        attention_picker(tr)
        if classroom:
            run = replace(run, address=choose_head(run.address, tr))
        else:
            place_picker(run.config, tr)
    if classroom:
        st.markdown(tr.section("qkv", "classroom"))
        trace = None
    else:
        trace = lesson_sentence(run, tr)
    if classroom or trace:
        taken = take_walk(trace, run)
        step = choose_step(tr)
        pictures = st.container()
        worksheet, editor = st.columns(2, gap="large")
        with editor:
            offer_reset(tr)
        with pictures:
            name, cell = show_step(step, taken, tr)
        with editor:
            show_editor(cell[-2], taken, tr)
        with worksheet:
            show_worksheet(name, cell, taken, tr)
