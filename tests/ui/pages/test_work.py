"""The queue works on one job at a time: which job runs, waits, or is paused."""

import threading
from collections.abc import Iterator
from functools import partial
from types import ModuleType, SimpleNamespace

import pytest
import torch
from streamlit.testing.v1 import AppTest

from tests.ui.drawn import EN, Page, all_is_over
from ui.server import queue, work
from ui.server.queue import SECONDS_UNTIL_LEFT, FullError, Job, WorkQueue, work_queue
from ui.server.work import visitor_connection
from ui.state.memory import memory


class Endless(Job[int]):
    """A job without end. Each step but the first waits for a permission."""

    def __init__(self, **options) -> None:
        self.within, self.may = threading.Event(), threading.Semaphore(0)
        super().__init__(self._count, **options)

    def _count(self) -> Iterator[int]:
        n = 0
        while True:
            yield n
            n += 1
            self.within.set()
            assert self.may.acquire(timeout=30)


def started_job(bench: WorkQueue, **options) -> Endless:
    """Return a job that is in the middle of a step."""
    job = Endless(**options)
    bench.submit(job)
    assert job.within.wait(30)
    return job


def end_before_drawing(monkeypatch: pytest.MonkeyPatch, module: ModuleType) -> None:
    """Let the job of a page wait, and end just before the page draws its progress."""
    other = started_job(work_queue())

    def fragment(draw, **_):
        def draw_after_the_end(*arguments):
            work_queue().stop(other)
            other.may.release()
            all_is_over(work_queue())
            draw(*arguments)

        return draw_after_the_end

    monkeypatch.setattr(module, "fragment", fragment)


def test_jobs_wait_run_one_after_another_and_can_be_stopped():
    bench = WorkQueue()
    first, second = started_job(bench), Job(lambda: iter([None, 1, None, 2]))
    third, fourth = Endless(), Job(lambda: iter("ab"))
    for job in (second, third, fourth):
        bench.submit(job)
    assert (first.state, second.state) == ("running", "waiting")
    assert [bench.ahead(job) for job in (first, second, third, fourth)] == [0, 1, 2, 3]
    bench.stop(third)
    assert (third.state, third.results) == ("stopped", [])
    assert [bench.ahead(job) for job in (third, fourth)] == [0, 2]
    bench.stop(first)
    first.may.release()
    all_is_over(bench)
    assert [job.state for job in (first, second, fourth)] == ["stopped", "done", "done"]
    assert second.results == [1, 2]  # a step may yield no result
    bench.submit(second)  # a second submission runs all steps again
    all_is_over(bench)
    assert second.results == [1, 2, 1, 2]


def test_the_job_of_an_absent_visitor_makes_room_and_can_be_continued(monkeypatch):
    bench = WorkQueue()
    now = [0.0]
    clock = SimpleNamespace(monotonic=lambda: now[0], sleep=lambda _: None)
    monkeypatch.setattr(queue, "time", clock)
    gone = started_job(bench)
    also_gone, present = Endless(), Job(lambda: iter([1]))
    for job in (also_gone, present):
        bench.submit(job)
    now[0] = SECONDS_UNTIL_LEFT
    present.show()
    assert bench.ahead(present) == 2
    now[0] = SECONDS_UNTIL_LEFT + 1
    assert bench.ahead(present) == 1
    gone.may.release()
    all_is_over(bench)
    assert [job.state for job in (gone, also_gone, present)] == ["left", "left", "done"]
    assert (len(gone.results), also_gone.results) == (2, [])
    gone.within.clear()
    bench.submit(gone)  # the job continues where it stopped
    gone.may.release()
    assert gone.within.wait(30)
    gone.leave()  # the visitor opens another page
    gone.may.release()
    all_is_over(bench)
    assert gone.state == "left"
    assert gone.results == [*range(len(gone.results))]
    assert len(gone.results) > 2


def test_a_visitor_who_opens_another_page_pauses_the_job_of_the_earlier_one():
    page = Page("masks")
    job = started_job(work_queue())
    page.app.session_state["work.jobs"] = [job]
    page.run()
    job.within.clear()
    job.may.release()
    assert job.within.wait(30)  # another run of the same page does not pause the job
    page.go("positions")
    job.may.release()
    all_is_over(work_queue())
    assert job.state == "left"


def test_a_failing_or_abandoned_job_does_not_affect_other_jobs():
    def fail() -> Iterator[int]:
        yield 1
        raise RuntimeError("a weight became infinite")

    bench, connected = WorkQueue(), [True]
    left = started_job(bench, is_here=lambda: connected[0])
    broken, sound = Job(fail), Job(lambda: iter([2]))
    for job in (broken, sound):
        bench.submit(job)
    connected[0] = False
    left.may.release()  # the job ends with this step
    all_is_over(bench)
    assert left.state == "left"
    assert (broken.state, broken.problem) == ("failed", "a weight became infinite")
    assert (sound.state, sound.results) == ("done", [2])


def test_the_thread_of_the_queue_does_not_keep_a_stopped_server_alive():
    WorkQueue()
    assert all(thread.daemon for thread in threading.enumerate() if thread.name == "work")


def test_jobs_compute_with_one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        bench, job = WorkQueue(), Job(lambda: iter([torch.get_num_threads()]))
        bench.submit(job)
        all_is_over(bench)
        assert job.results == [1]
    finally:
        torch.set_num_threads(before)


def test_a_job_asks_the_server_whether_its_visitor_is_connected(monkeypatch):
    connected = {"a": True, "b": False}
    server = SimpleNamespace(is_active_session=connected.__getitem__)
    monkeypatch.setattr(work, "get_instance", lambda: server)
    for session in connected:
        context = SimpleNamespace(session_id=session)
        monkeypatch.setattr(work, "get_script_run_ctx", lambda context=context, **_: context)
        is_here = visitor_connection()
        assert is_here() is connected[session]
        connected[session] = not connected[session]
        assert is_here() is connected[session]
    monkeypatch.setattr(work, "get_script_run_ctx", lambda **_: None)
    assert visitor_connection()()  # without a server


def panel(steps, options):
    """Draw a panel with a job whose results are written on the page."""
    import streamlit as st

    from ui.server.work import show_work
    from ui.text.translator import translator

    def draw(results):
        st.text(f"results: {list(results)}")

    show_work("panel", "cat", steps, draw, translator("en"), start="Measure", total=4, **options)


def texts(app: AppTest) -> list[str]:
    return [text.value for text in app.text]


@pytest.mark.parametrize(
    ("options", "is_shared"), [({}, True), ({"shared": True}, True), ({"shared": False}, False)]
)
def test_another_visitor_sees_results_at_once_unless_they_are_times(options, is_shared):
    memory.cache_clear()
    runs = []

    def steps() -> Iterator[int]:
        runs.append("measured")
        yield from (1, 2, 3, 4)

    first, second = (AppTest.from_function(panel, args=(steps, options)).run() for _ in "ab")
    assert texts(first) == texts(second) == []
    first.button(key="panel").click().run()
    all_is_over(work_queue())
    assert texts(first.run()) == ["results: [1, 2, 3, 4]"]
    assert texts(second.run()) == (["results: [1, 2, 3, 4]"] if is_shared else [])
    assert runs == ["measured"]


def test_a_stopped_job_continues_where_it_was_and_is_redrawn_only_while_it_runs(monkeypatch):
    begun, within, may = [], threading.Event(), threading.Semaphore(0)
    seconds_between_runs: list[float | None] = []

    def steps() -> Iterator[int]:
        begun.append("begun")
        for n in (1, 2, 3, 4):
            yield n
            within.set()
            assert may.acquire(timeout=30)

    def fragment(draw, *, run_every):
        seconds_between_runs.append(run_every)
        return draw

    monkeypatch.setattr(work, "fragment", fragment)
    app = AppTest.from_function(panel, args=(steps, {"shared": False})).run()
    assert seconds_between_runs == []
    app.button(key="panel").click().run()
    assert within.wait(30)
    assert seconds_between_runs.pop() == 1.0
    app.run()
    progress = app.get("progress")[0].proto
    assert (progress.value, progress.text) == (25, EN("work.running", n=1, total=4))
    app.button(key="panel.stop").click().run()
    may.release()  # the step ends, and has a result
    all_is_over(work_queue())
    app.run()
    assert app.get("progress")[0].proto.text == EN("work.stopped", n=2, total=4)
    assert seconds_between_runs.pop() is None
    app.button(key="panel").click().run()
    may.release(4)
    all_is_over(work_queue())
    assert texts(app.run()) == ["results: [1, 2, 3, 4]"]
    assert begun == ["begun"]
    assert len(app.session_state["work.jobs"]) == 1  # started twice, kept once


def test_the_page_runs_again_by_itself_when_a_job_has_ended(monkeypatch):
    end_before_drawing(monkeypatch, work)
    steps = partial(iter, [1, 2, 3, 4])
    app = AppTest.from_function(panel, args=(steps, {"shared": False})).run()
    app.button(key="panel").click().run()
    assert texts(app) == ["results: [1, 2, 3, 4]"]
    disabled = {key: app.button(key=key).disabled for key in ("panel", "panel.stop")}
    assert disabled == {"panel": False, "panel.stop": True}


def test_the_queue_has_a_maximum_length_and_drops_absent_visitors_at_once(monkeypatch):
    bench = WorkQueue()
    monkeypatch.setattr(queue, "_MAX_JOBS", 3)
    first = started_job(bench)
    connected = dict.fromkeys(range(41), True)
    gone = [Endless(is_here=lambda n=n: connected[n]) for n in connected]
    for n, job in enumerate(gone):  # 41 visitors who submit a job and leave
        bench.submit(job)
        connected[n] = False
    present = [Endless(), Endless()]
    for job in present:
        bench.submit(job)
    assert {job.state for job in gone} == {"left"}
    assert (bench.ahead(present[0]), bench.length) == (1, 3)
    with pytest.raises(FullError, match="3"):
        bench.submit(Endless())
    for job in (*present, first):
        bench.stop(job)
    first.may.release()
    all_is_over(bench)
    assert first.state == "stopped"
