"""Work on the page: asked for by a button, seen while it goes on, stopped at will."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import partial
from typing import Any

import streamlit as st
from streamlit.runtime import Runtime, get_instance
from streamlit.runtime.scriptrunner import get_script_run_ctx

from ui.server.page_slots import fragment
from ui.server.queue import FullError, Job, work_queue
from ui.state.memory import memory
from ui.text.markup import alert
from ui.text.translator import Translator

Begin = Callable[[], Iterator[Any]]
Draw = Callable[[Sequence[Any]], None]
EVERY = 1.0  # seconds between two looks at a job
AT_ONCE = 4000  # tokens that a model reads in about a second: nobody has to ask for that
_PANELS, _HERE, _PAGE = "work.panels", "work.here", "work.page"


def visitor_here() -> Callable[[], bool]:
    """Asks whether the visitor of this run is still connected: to be called from any thread."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is None or not Runtime.exists():
        return lambda: True
    runtime = get_instance()
    return lambda: bool(runtime.is_active_session(context.session_id))


def submit(job: Job[Any], tr: Translator) -> bool:
    """Put a job in the queue, or say that the queue is full."""
    try:
        work_queue().submit(job)
    except FullError:
        st.html(alert(tr("work.full")))
        return False
    here: list[Job[Any]] = st.session_state.get(_HERE, [])
    st.session_state[_HERE] = [*(one for one in here if one.active and one is not job), job]
    return True


def leave_other_pages(page: str) -> None:
    """To be called by every page: what the visitor started on another one is put aside at once."""
    if st.session_state.get(_PAGE) != page:
        st.session_state[_PAGE] = page
        for job in st.session_state.get(_HERE, []):
            job.leave()


def show_work(
    name: str,
    about: Hashable,
    begin: Begin,
    draw: Draw,
    tr: Translator,
    *,
    start: str,
    total: int,
    shared: bool = True,
    small: bool = False,
    in_parts: bool = False,
) -> None:
    """A button, and what it has found.

    Args:
        name: of the widgets, and of what is kept in memory.
        about: all that the results depend on; for another one the button is shown again.
        begin: gives the steps, see ``Job``.
        draw: shows the results, when they are complete; ``in_parts`` those so far, at first none.
        start: the button's label, which says what will be done and how long that takes.
        total: how many results there will be.
        shared: every visitor would get the same, so who comes later need not wait. Measured times
            are nobody else's.
        small: it takes less than about a second: nobody has to ask for it.
    """
    kept: list[Any] | None = memory().find(name, about) if shared else None
    if kept is None and small:
        kept = memory().get(name, about, lambda: [one for one in begin() if one is not None])
    if kept is not None:
        draw(kept)
        return
    panels: dict[str, tuple[Hashable, Job[Any]]] = st.session_state.setdefault(_PANELS, {})
    of, job = panels.get(name, (None, None))
    if job is not None and of != about:
        work_queue().stop(job)
        del panels[name]
        job = None
    active = job is not None and job.active
    with st.container(horizontal=True, vertical_alignment="center"):
        begun = st.button(start, type="primary", key=name, disabled=active)
        stop = partial(work_queue().stop, job) if job else None
        st.button(tr("work.stop"), key=f"{name}.stop", disabled=not active, on_click=stop)
    if begun:
        if job is None or job.state not in ("stopped", "left"):
            job = _job_of(name, about, begin, shared=shared)
        if submit(job, tr):
            panels[name] = (about, job)
            st.rerun()
    draw_parts = draw if in_parts else lambda _: None
    if job is not None:
        watch = fragment(_watch, run_every=EVERY if active else None)
        watch(job, total, active, draw, draw_parts, tr)
    else:
        draw_parts([])


def _job_of(name: str, about: Hashable, begin: Begin, *, shared: bool) -> Job[Any]:
    """A job that keeps its results for all visitors once they are complete."""
    kept = memory()

    def all_steps() -> Iterator[Any]:
        job.results = []
        yield from begin()
        if shared:
            kept.keep(name, about, job.results)

    job = Job(all_steps, visitor_here())
    return job


def _watch(
    job: Job[Any], total: int, was_active: bool, draw: Draw, draw_parts: Draw, tr: Translator
) -> None:
    """What there is to see now; drawn every second while the job is active."""
    job.show()
    state, results = job.state, list(job.results)
    place, n = work_queue().ahead(job), len(results)
    told = tr(f"work.{state}", place=place, n=n, total=total, problem=job.problem)
    if state == "done":
        draw(results)
    else:
        st.progress(min(n / total, 1.0), text=told)
        draw_parts(results)
    if was_active and not job.active:
        st.rerun()  # the buttons change, and the clock stops
