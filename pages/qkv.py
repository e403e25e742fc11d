"""Lesson: queries, keys and values, one operation after another."""

from dataclasses import replace

import streamlit as st

from ui.frame.page import lesson, lesson_sentence
from ui.frame.pickers import attention_picker, place_picker
from ui.lessons.qkv import steps, walk
from ui.state.address import ONE_HEAD, SHARED

linked = walk.came_by_link()
with lesson("qkv", (*SHARED, *ONE_HEAD)) as (tr, run, _):
    with st.container(horizontal=True, vertical_alignment="bottom"):
        classroom = walk.choose_source(run.address, tr, linked=linked)
        attention_picker(tr)
        if classroom:
            run = replace(run, address=walk.choose_head(run.address, tr))
        else:
            place_picker(run.config, tr)
    if classroom:
        st.markdown(tr.section("qkv", "classroom"))
        trace = None
    else:
        trace = lesson_sentence(run, tr)
    if classroom or trace:
        taken = walk.take_walk(trace, run)
        step = steps.choose_step(tr)
        pictures = st.container()
        worksheet, editor = st.columns(2, gap="large")
        with editor:
            walk.offer_reset(tr)
        with pictures:
            name, cell = steps.show_step(step, taken, tr)
        with editor:
            walk.show_editor(cell[-2], taken, tr)
        with worksheet:
            steps.show_worksheet(name, cell, taken, tr)
