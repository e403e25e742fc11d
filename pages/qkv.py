"""Lesson: queries, keys and values, operation by operation."""

from dataclasses import replace

import streamlit as st

from ui.frame.page import lesson, lesson_sentence
from ui.frame.pickers import attention_list, place_picker
from ui.lessons.qkv.steps import choose_step, query_of, show_step, show_worksheet
from ui.lessons.qkv.walk import (
    came_by_link,
    choose_head,
    choose_source,
    compute_walk,
    offer_reset,
    show_editor,
)
from ui.state.address import ONE_HEAD, SHARED

linked = came_by_link()
with lesson("qkv", (*SHARED, *ONE_HEAD)) as (tr, run, _):
    with st.container(horizontal=True, vertical_alignment="bottom"):
        is_classroom = choose_source(run.address, tr, linked=linked)
        attention_list(tr)
        if is_classroom:
            run = replace(run, address=choose_head(run.address, tr))
        else:
            place_picker(run.config, tr)
    trace = None if is_classroom else lesson_sentence(run, tr, paper=True)
    if is_classroom or trace:
        walk = compute_walk(trace, run)
        step = choose_step(tr)
        matrices_area = st.container()
        worksheet_column, editor_column = st.columns(2, gap="large")
        with editor_column:
            offer_reset(tr)
        with matrices_area:
            name, cell = show_step(step, walk, tr)
            if is_classroom:
                st.caption(tr.section("qkv", "classroom"))
        with editor_column:
            query = query_of(name, cell, walk, run.address.attention)
            show_editor(query, walk, tr)
        with worksheet_column:
            show_worksheet(name, cell, walk, tr)
