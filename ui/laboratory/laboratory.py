"""The laboratory on the page: settings, start and stop, and what can be seen while it learns."""

from __future__ import annotations

import streamlit as st

from model.laboratory import Settings
from ui.laboratory.bench import Bench, FullError, Job
from ui.laboratory.controls import choose_settings
from ui.laboratory.pictures import show_curves, show_example
from ui.markup import alert, badge
from ui.translator import Translator
from ui.watch import fragment

_JOBS = "laboratory.jobs"  # of this visitor: at most two, the older one to compare with
_STEPS = 600
_EVERY = 1.0  # seconds between two looks at a running job


def show_laboratory(tr: Translator) -> None:
    """Choose, train, watch, compare."""
    jobs: list[Job] = st.session_state.setdefault(_JOBS, [])
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
    if start:
        _start(settings, jobs, tr)
    if jobs:
        active = jobs[-1].active
        fragment(_watch, run_every=_EVERY if active else None)(jobs, active, tr)
    st.markdown(tr.section("laboratory", "try"))


@st.cache_resource(show_spinner=False)
def bench() -> Bench:
    """The one bench of this server."""
    return Bench()


def _start(settings: Settings, jobs: list[Job], tr: Translator) -> None:
    """A new job beside the last one; the one before that is forgotten."""
    new = Job(settings, until=_STEPS)
    if _submit(new, tr):
        for job in jobs:
            bench().stop(job)
        jobs[:] = [*jobs[-1:], new]
        st.rerun()


def _stop() -> None:
    bench().stop(st.session_state[_JOBS][-1])


def _go_on(tr: Translator) -> None:
    job: Job = st.session_state[_JOBS][-1]
    job.until = job.training.step + _STEPS
    _submit(job, tr)


def _submit(job: Job, tr: Translator) -> bool:
    """Put it in the queue, or say that the queue is full."""
    try:
        bench().submit(job)
    except FullError:
        st.html(alert(tr("laboratory.full")))
        return False
    return True


def _watch(jobs: list[Job], was_active: bool, tr: Translator) -> None:
    """What there is to see now; drawn every second while a job is active."""
    newest = jobs[-1]
    newest.show()
    st.html(badge(_status(newest, tr)))
    shown = [job for job in jobs if job.points]
    if shown:
        show_curves(shown, tr)
        show_example(shown, tr)
    if was_active and not newest.active:
        st.rerun()  # the buttons change, and the clock stops


def _status(job: Job, tr: Translator) -> str:
    return tr(
        f"laboratory.state_{job.state}",
        place=bench().ahead(job),
        step=job.training.step,
        until=job.until,
        problem=job.problem,
    )
