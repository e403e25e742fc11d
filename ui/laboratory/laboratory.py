"""The laboratory on the page: settings, start and stop, and what can be seen while it learns."""

from __future__ import annotations

import streamlit as st

from model.lessons.learning.laboratory import Settings
from ui.laboratory.controls import choose_settings
from ui.laboratory.pictures import show_curves, show_example
from ui.laboratory.run import Run
from ui.server.log import fragment
from ui.server.queue import bench
from ui.server.work import EVERY, submit, visitor_here
from ui.state.limits import replicas
from ui.text.markup import badge
from ui.text.translator import Translator

_JOBS = "laboratory.jobs"  # of this visitor: at most two, the older one to compare with
_STEPS = 600


def show_laboratory(tr: Translator) -> None:
    """Choose, train, watch, compare."""
    jobs: list[Run] = st.session_state.setdefault(_JOBS, [])
    st.markdown(tr.section("laboratory", "idea"))
    settings = choose_settings(tr)
    with st.container(horizontal=True, vertical_alignment="center"):
        start = st.button(tr("laboratory.start"), type="primary", key="laboratory.start")
        newest = jobs[-1] if jobs else None
        running = newest is not None and newest.active
        st.button(
            tr("laboratory.stop"), key="laboratory.stop", disabled=not running, on_click=_stop
        )
        st.button(
            tr("laboratory.go_on", n=_STEPS),
            key="laboratory.go_on",
            disabled=newest is None or running,
            on_click=_go_on,
            args=(tr,),
        )
    if (n := replicas()) > 1:
        st.caption(tr("laboratory.replicas", n=n))
    if start:
        _start(settings, jobs, tr)
    if jobs:
        active = jobs[-1].active
        fragment(_watch, run_every=EVERY if active else None)(jobs, active, tr)
    st.markdown(tr.section("laboratory", "try"))


def _start(settings: Settings, jobs: list[Run], tr: Translator) -> None:
    """A new job beside the last one; the one before that is forgotten."""
    new = Run(settings, _STEPS, visitor_here())
    if submit(new, tr):
        for job in jobs:
            bench().stop(job)
        jobs[:] = [*jobs[-1:], new]
        st.rerun()


def _stop() -> None:
    bench().stop(st.session_state[_JOBS][-1])


def _go_on(tr: Translator) -> None:
    job: Run = st.session_state[_JOBS][-1]
    job.until = job.training.step + _STEPS
    submit(job, tr)


def _watch(jobs: list[Run], was_active: bool, tr: Translator) -> None:
    """What there is to see now; drawn every second while a job is active."""
    newest = jobs[-1]
    newest.show()
    st.html(badge(_status(newest, tr)))
    shown = [job for job in jobs if job.results]
    if shown:
        show_curves(shown, tr)
        show_example(shown, tr)
    if was_active and not newest.active:
        st.rerun()  # the buttons change, and the clock stops


def _status(job: Run, tr: Translator) -> str:
    return tr(
        f"laboratory.state_{job.state}",
        place=bench().ahead(job),
        step=job.training.step,
        until=job.until,
        problem=job.problem,
    )
