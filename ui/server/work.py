"""Long work on a page: a button starts it, the page shows its progress, and a button stops it."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import partial
from typing import Any

import streamlit as st
from streamlit.runtime import get_instance
from streamlit.runtime.scriptrunner import get_script_run_ctx

from ui.server.page_slots import fragment
from ui.server.queue import FullError, Job, work_queue
from ui.state.memory import memory
from ui.state.speed import note_of_work
from ui.text.markup import alert
from ui.text.translator import Translator

Begin = Callable[[], Iterator[Any]]  # returns the steps of a job, see ``Job``
Draw = Callable[[Sequence[Any]], None]  # draws the results

SECONDS_BETWEEN_DRAWINGS = 1.0  # seconds between drawings of a running job
SECONDS_WITHOUT_ASKING = 1.0  # a longer computation waits for a click on its button
_SECONDS_WITHOUT_NOTE = 10.0  # for a longer job, a note beside the button estimates its time

# Keys of the session.
_PANELS = "work.panels"  # name of a panel -> (what it depends on, its job)
_JOBS = "work.jobs"  # the visitor's jobs that were active when the last of them was started
_PAGE = "work.page"  # the page that the visitor is on


def visitor_connection() -> Callable[[], bool]:
    """Return a function that tells whether the visitor is connected. Any thread may call it.

    Outside a running server it always returns True.
    """
    context = get_script_run_ctx(suppress_warning=True)
    if context is None:
        return lambda: True
    runtime = get_instance()
    return lambda: bool(runtime.is_active_session(context.session_id))


def submit(job: Job[Any], tr: Translator) -> bool:
    """Put a job into the queue. If it is full, show a message and return False."""
    try:
        work_queue().submit(job)
    except FullError:
        st.html(alert(tr("work.full")))
        return False
    earlier_jobs: list[Job[Any]] = st.session_state.get(_JOBS, [])
    others = [earlier for earlier in earlier_jobs if earlier.active and earlier is not job]
    st.session_state[_JOBS] = [*others, job]
    return True


def leave_other_pages(page: str) -> None:
    """Pause the jobs that the visitor has started on other pages. Every page calls this."""
    if st.session_state.get(_PAGE) == page:
        return
    st.session_state[_PAGE] = page
    for job in st.session_state.get(_JOBS, []):
        job.leave()


def show_work(
    name: str,
    depends_on: Hashable,
    begin: Begin,
    draw: Draw,
    tr: Translator,
    *,
    start: str,
    total: int,
    shared: bool = True,
    seconds: float | None = None,
    draws_while_running: bool = False,
) -> None:
    """Draw a button that starts a job, and the results of the job.

    Args:
        name: of the widgets, and of the results in memory.
        depends_on: everything that the results depend on; when it changes, the button is shown
            again.
        begin: returns the steps of the job, see ``Job``.
        draw: draws the results when they are complete.
        tr: the visitor's language.
        start: the button's label, which says what will be done and how long it takes.
        total: how many results there will be.
        shared: whether every visitor would get the same results, so that they are computed once.
            Measured times are not shared.
        seconds: about how long the job takes; below ``SECONDS_WITHOUT_ASKING`` no button is
            needed. None: it is not known, and long.
        draws_while_running: whether ``draw`` also draws the results so far, at first none.
    """
    # 1. Show results without a button if they are cached or quick to compute
    results: list[Any] | None = memory().find(name, depends_on) if shared else None
    if results is None and seconds is not None and seconds <= SECONDS_WITHOUT_ASKING:
        results = memory().get(name, depends_on, lambda: _without_none(begin()))
    if results is not None:
        draw(results)
        return

    # 2. Stop a job that was started for an earlier choice
    panels: dict[str, tuple[Hashable, Job[Any]]] = st.session_state.setdefault(_PANELS, {})
    job_depends_on, job = panels.get(name, (None, None))
    if job is not None and job_depends_on != depends_on:
        work_queue().stop(job)
        del panels[name]
        job = None

    # 3. Show the buttons
    is_active = job is not None and job.active
    with st.container(key=f"work-{name}", horizontal=True, vertical_alignment="center"):
        start_clicked = st.button(start, type="primary", key=name, disabled=is_active)
        stop = partial(work_queue().stop, job) if job else None
        st.button(tr("work.stop"), key=f"{name}.stop", disabled=not is_active, on_click=stop)
        if seconds is not None and seconds > _SECONDS_WITHOUT_NOTE and not is_active:
            st.caption(note_of_work(seconds, tr))
    if start_clicked:
        if job is None or job.state not in ("stopped", "left"):
            job = _new_job(name, depends_on, begin, shared=shared)
        if submit(job, tr):
            panels[name] = (depends_on, job)
            st.rerun()

    # 4. Show the progress, redrawn every second while the job is active
    draw_so_far = draw if draws_while_running else _draw_nothing
    if job is None:
        draw_so_far([])
        return
    show_progress = fragment(
        _show_progress, run_every=SECONDS_BETWEEN_DRAWINGS if is_active else None
    )
    show_progress(job, total, is_active, draw, draw_so_far, tr)


def _without_none(steps: Iterator[Any]) -> list[Any]:
    """Run all steps of a job, and return their results."""
    return [result for result in steps if result is not None]


def _draw_nothing(_: Sequence[Any]) -> None:
    """Draw nothing, because the results are not complete."""


def _new_job(name: str, depends_on: Hashable, begin: Begin, *, shared: bool) -> Job[Any]:
    """Return a job that stores its complete results for all visitors, if they are shared.

    Args:
        name: what is computed.
        depends_on: the inputs of the results.
        begin: starts the computation; it yields the results one by one.
        shared: whether other visitors may get the results.
    """
    results_of_all = memory()

    def all_steps() -> Iterator[Any]:
        yield from begin()
        if shared:
            results_of_all.store(name, depends_on, job.results)

    job = Job(all_steps, visitor_connection())
    return job


def _show_progress(
    job: Job[Any], total: int, was_active: bool, draw: Draw, draw_so_far: Draw, tr: Translator
) -> None:
    """Draw the results of a finished job, or the progress of an unfinished job.

    Args:
        job: the job.
        total: the number of results that it will have.
        was_active: whether the job was running at the last run of the page.
        draw: draws all results.
        draw_so_far: draws the results of an unfinished job.
        tr: the visitor's language.
    """
    job.show()
    state = job.state
    results = list(job.results)
    if state == "done":
        draw(results)
    else:
        n = len(results)
        jobs_before = work_queue().ahead(job)
        text = tr(f"work.{state}", place=jobs_before, n=n, total=total, problem=job.problem)
        st.progress(min(n / total, 1.0), text=text)
        draw_so_far(results)
    if was_active and not job.active:
        st.rerun()  # run the whole page: the buttons change, and redrawing every second ends
