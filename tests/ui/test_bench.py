"""One training at a time: who runs, who waits, who is put aside."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from model.laboratory import Settings, Training
from ui.laboratory import bench as module
from ui.laboratory.bench import Bench, FullError, Job

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
    job = Job(SMALL, until=20)
    bench.submit(job)
    until(lambda: job.state == "done")
    assert [point.step for point in job.points] == [1, 20]
    job.until = 40
    bench.submit(job)
    until(lambda: job.state == "done")
    alone = list(Training(SMALL).train(40))  # on more threads, so that sums round otherwise
    losses = [point.loss for point in alone]
    assert [point.loss for point in job.points] == pytest.approx(losses, rel=1e-4)


def test_the_second_waits_and_then_runs_by_itself(bench: Bench) -> None:
    first, second, third = (Job(SMALL, until=n) for n in (FOREVER, 20, 20))
    for job in (first, second, third):
        bench.submit(job)
    until(lambda: len(first.points) > 1)
    assert (first.state, second.state) == ("running", "waiting")
    assert [bench.ahead(job) for job in (first, second, third)] == [0, 1, 2]
    bench.stop(first)
    until(lambda: second.state == third.state == "done")
    assert first.state == "stopped"
    assert second.points[0].step == 1


def test_one_who_waits_can_leave_the_queue(bench: Bench) -> None:
    first, second, third = (Job(SMALL, until=FOREVER) for _ in range(3))
    for job in (first, second, third):
        bench.submit(job)
    bench.stop(second)
    assert second.state == "stopped"
    assert bench.ahead(third) == 1
    for job in (first, third):
        bench.stop(job)
    until(lambda: not first.active and not third.active)
    assert second.points == []


def test_a_visitor_who_is_gone_frees_the_bench(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.4)
    gone, also_gone, here = (Job(SMALL, until=n) for n in (FOREVER, FOREVER, 20))
    for job in (gone, also_gone, here):
        bench.submit(job)
    deadline = time.monotonic() + 10
    while here.state != "done":
        here.show()
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert gone.state == also_gone.state == "left"
    assert gone.points
    assert not also_gone.points
    gone.until = gone.training.step + 1
    bench.submit(gone)  # and may come back
    until(lambda: gone.state == "done")


def test_a_training_that_fails_harms_no_other(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken, sound = Job(SMALL, until=20), Job(SMALL, until=20)

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
    jobs = [Job(SMALL, until=FOREVER) for _ in range(3)]
    for job in jobs[:2]:
        bench.submit(job)
    with pytest.raises(FullError, match="2 trainings are waiting"):
        bench.submit(jobs[2])
    for job in jobs[:2]:
        bench.stop(job)
