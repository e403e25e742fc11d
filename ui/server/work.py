"""Work on the page: asked for by a button, seen while it goes on, stopped at will."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import streamlit as st
from streamlit.runtime import Runtime, get_instance
from streamlit.runtime.scriptrunner import get_script_run_ctx

from ui.server.log import fragment
from ui.server.queue import FullError, Job, work_queue
from ui.state.memory import memory
from ui.text.markup import alert
from ui.text.translator import Translator

T = TypeVar("T")

EVERY = 1.0  # seconds between two looks at a job
_PANELS, _HERE, _PAGE = "work.panels", "work.here", "work.page"


@dataclass(frozen=True)
class Work(Generic[T]):
    """What a button starts."""

    name: str  # of the widgets, and of what is kept in memory
    about: Hashable  # all that the results depend on; for another one the button is shown again
    begin: Callable[[], Iterator[T | None]]  # gives the steps, see Job
    total: int  # how many results there will be
    # whether every visitor would get the same results: then who comes later need not wait. Measured
    # times are nobody else's.
    shared: bool = True
    small: bool = False  # whether it takes less than about a second: then nobody has to ask for it

    def at_once(self) -> list[T]:
        """All results."""
        return [result for result in self.begin() if result is not None]


def visitor_here() -> Callable[[], bool]:
    """Asks whether the visitor of this run is still connected: to be called from any thread."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is None or not Runtime.exists():
        return lambda: True
    runtime = get_instance()
    return lambda: bool(runtime.is_active_session(context.session_id))


def submit(job: Job[T], tr: Translator) -> bool:
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
    work: Work[T], start: str, draw: Callable[[Sequence[T], bool], None], tr: Translator
) -> None:
    """A button, and what it has found so far.

    Its label ``start`` says what will be done and how long that takes; ``draw`` shows the results
    so far, and is told whether they are all.
    """
    kept: list[T] | None = memory().find(work.name, work.about) if work.shared else None
    if kept is None and work.small:
        kept = memory().get(work.name, work.about, work.at_once)
    if kept is not None:
        draw(kept, True)
        return
    panels: dict[str, tuple[Hashable, Job[T]]] = st.session_state.setdefault(_PANELS, {})
    about, job = panels.get(work.name, (None, None))
    if job is not None and about != work.about:
        work_queue().stop(job)
        del panels[work.name]
        job = None
    active = job is not None and job.active
    with st.container(horizontal=True, vertical_alignment="center"):
        begun = st.button(start, type="primary", key=work.name, disabled=active)
        st.button(
            tr("work.stop"), key=f"{work.name}.stop", disabled=not active, on_click=_stop,
            args=(work.name,),
        )  # fmt: skip
    if begun:
        if job is None or job.state not in ("stopped", "left"):
            job = _job_of(work)
        if submit(job, tr):
            panels[work.name] = (work.about, job)
            st.rerun()
    if job is not None:
        fragment(_watch, run_every=EVERY if active else None)(job, work, active, draw, tr)
    else:
        draw([], False)


def _job_of(work: Work[T]) -> Job[T]:
    """A job that keeps its results for all visitors once they are complete."""
    kept = memory()

    def all_steps() -> Iterator[T | None]:
        job.results = []
        yield from work.begin()
        if work.shared:
            kept.keep(work.name, work.about, job.results)

    job = Job(all_steps, visitor_here())
    return job


def _stop(name: str) -> None:
    _, job = st.session_state[_PANELS][name]
    work_queue().stop(job)


def _watch(
    job: Job[T],
    work: Work[T],
    was_active: bool,
    draw: Callable[[Sequence[T], bool], None],
    tr: Translator,
) -> None:
    """What there is to see now; drawn every second while the job is active."""
    job.show()
    state, results = job.state, list(job.results)
    told = tr(
        f"work.{state}",
        place=work_queue().ahead(job),
        n=len(results),
        total=work.total,
        problem=job.problem,
    )
    if state != "done":
        st.progress(min(len(results) / work.total, 1.0), text=told)
    draw(results, state == "done")
    if was_active and not job.active:
        st.rerun()  # the buttons change, and the clock stops
