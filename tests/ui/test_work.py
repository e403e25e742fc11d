"""One piece of work at a time: who runs, who waits, who is put aside."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import count

import pytest

from model.lessons.learning.laboratory import Settings, ToyTraining
from ui.laboratory.run import Run
from ui.server import queue as module
from ui.server.queue import Bench, FullError, Job

SMALL = Settings(n_layers=1, n_heads=1, d_model=8)
FOREVER = 10**6


def until(true: Callable[[], bool], seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.01)


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_a_job_runs_to_its_end_and_can_go_on(bench: Bench) -> None:
    job = Run(SMALL, 20)
    bench.submit(job)
    until(lambda: job.state == "done")
    assert [point.step for point in job.results] == [1, 20]
    job.until = 40
    bench.submit(job)
    until(lambda: job.state == "done")
    alone = list(ToyTraining(SMALL).train(40))  # on more threads, so that sums round otherwise
    losses = [point.loss for point in alone]
    assert [point.loss for point in job.results] == pytest.approx(losses, rel=1e-4)


def test_the_second_waits_and_then_runs_by_itself(bench: Bench) -> None:
    first, second, third = (Run(SMALL, n) for n in (FOREVER, 20, 20))
    for job in (first, second, third):
        bench.submit(job)
    until(lambda: len(first.results) > 1)
    assert (first.state, second.state) == ("running", "waiting")
    assert [bench.ahead(job) for job in (first, second, third)] == [0, 1, 2]
    bench.stop(first)
    until(lambda: second.state == third.state == "done")
    assert first.state == "stopped"
    assert second.results[0].step == 1


def test_one_who_waits_can_leave_the_queue(bench: Bench) -> None:
    first, second, third = (Run(SMALL, FOREVER) for _ in range(3))
    for job in (first, second, third):
        bench.submit(job)
    bench.stop(second)
    assert second.state == "stopped"
    assert bench.ahead(third) == 1
    for job in (first, third):
        bench.stop(job)
    until(lambda: not first.active and not third.active)
    assert second.results == []


def test_a_visitor_who_is_gone_frees_the_bench(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.4)
    gone, also_gone, here = (Run(SMALL, n) for n in (FOREVER, FOREVER, 20))
    for job in (gone, also_gone, here):
        bench.submit(job)
    gone.show()  # the last sign of life: when it is left, the one behind it has long been left
    deadline = time.monotonic() + 10
    while here.state != "done":
        here.show()
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert gone.state == also_gone.state == "left"
    assert gone.results
    assert not also_gone.results
    gone.until = gone.training.step + 1
    bench.submit(gone)  # and may come back
    until(lambda: gone.state == "done")


def test_a_training_that_fails_harms_no_other(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken, sound = Run(SMALL, 20), Run(SMALL, 20)

    def fail() -> None:
        raise RuntimeError("a weight became infinite")

    monkeypatch.setattr(broken.training, "advance", fail)
    for job in (broken, sound):
        bench.submit(job)
    until(lambda: sound.state == "done")
    assert broken.state == "failed"
    assert broken.problem == "a weight became infinite"


def test_the_queue_has_an_end(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST", 2)
    jobs = [Run(SMALL, FOREVER) for _ in range(3)]
    for job in jobs[:2]:
        bench.submit(job)
    with pytest.raises(FullError, match="2 jobs are waiting"):
        bench.submit(jobs[2])
    for job in jobs[:2]:
        bench.stop(job)


def _endless() -> Iterator[int]:
    yield from count()


def _busy(bench: Bench) -> Job[int]:
    """Somebody whose work goes on and on."""
    job = Job(_endless)
    bench.submit(job)
    until(lambda: len(job.results) > 1)
    return job


def test_who_leaves_is_out_of_the_queue_at_once(bench: Bench) -> None:
    """41 visitors who start and leave; none of them is waited for, whatever the patience."""
    first, connected = _busy(bench), dict.fromkeys(range(41), True)
    gone = [Job(_endless, lambda n=n: connected[n]) for n in connected]
    for n, job in enumerate(gone):
        bench.submit(job)
        connected[n] = False
    here = Job(lambda: iter([1, 2]))
    bench.submit(here)
    assert bench.ahead(here) == 1
    assert bench.length == 2
    assert {job.state for job in gone} == {"left"}
    bench.stop(first)
    until(lambda: here.state == "done")
    assert here.results == [1, 2]
    assert not any(job.results for job in gone)


def test_one_who_leaves_while_it_runs_frees_the_bench_at_its_next_step(bench: Bench) -> None:
    connected = True
    job, after = Job(_endless, lambda: connected), Job(lambda: iter([1]))
    bench.submit(job)
    bench.submit(after)
    until(lambda: len(job.results) > 1)
    connected = False
    until(lambda: after.state == "done")
    assert job.state == "left"
    connected, n = True, len(job.results)
    bench.submit(job)  # and goes on where it was
    until(lambda: len(job.results) > n)
    assert job.results == list(range(len(job.results)))
    job.leave()  # to another page
    until(lambda: job.state == "left")


def test_two_pieces_of_work_never_go_on_at_once(bench: Bench) -> None:
    inside, most = 0, []

    def steps() -> Iterator[None]:
        nonlocal inside
        for _ in range(5):
            inside += 1
            most.append(inside)
            time.sleep(0.002)
            inside -= 1
            yield None

    jobs = [Job(steps) for _ in range(6)]
    for job in jobs:
        bench.submit(job)
    until(lambda: all(job.state == "done" for job in jobs))
    assert len(most) == 30
    assert max(most) == 1


def test_results_without_a_value_are_steps_only(bench: Bench) -> None:
    job = Job(lambda: iter([None, 3, None]))
    bench.submit(job)
    until(lambda: job.state == "done")
    assert job.results == [3]
