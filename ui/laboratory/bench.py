"""One training at a time: a queue in front of a single thread, shared by all visitors of a server.

A page that shows a job says so every second. A job that nobody has shown for some seconds is put
aside: its visitor has closed the browser or gone elsewhere. It can be handed in again and goes on
where it was.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from dataclasses import dataclass, field
from typing import Literal

import torch

from model.laboratory import Point, Settings, Training

PATIENCE = 5.0  # seconds
_MOST = 40  # jobs in the queue
_BREATH = 0.002  # seconds after every step, in which others get their turn

State = Literal["waiting", "running", "stopped", "done", "left", "failed"]


@dataclass(eq=False)
class Job:
    """One visitor's training. Only the worker changes ``training`` and ``points``.

    Args:
        settings: what is trained.
        until: the step at which it is done.
        training: the model and how far it is.
        points: what was measured so far, oldest first; each is immutable.
        state: where it stands.
        shown: when a page last showed it, in seconds of the monotonic clock.
        wanted: False once the visitor has asked it to stop.
        problem: what went wrong, if something did.
    """

    settings: Settings
    until: int
    training: Training = field(init=False)
    points: list[Point] = field(default_factory=list)
    state: State = "waiting"
    shown: float = field(default_factory=time.monotonic)
    wanted: bool = True
    problem: str = ""

    def __post_init__(self) -> None:
        self.training = Training(self.settings)

    @property
    def active(self) -> bool:
        """Whether it is running or will be."""
        return self.state in ("waiting", "running")

    def show(self) -> None:
        """A page shows it: its visitor is still there."""
        self.shown = time.monotonic()

    @property
    def is_left(self) -> bool:
        """Whether nobody has shown it for too long."""
        return time.monotonic() - self.shown > PATIENCE


class FullError(ValueError):
    """Too many jobs are waiting."""


class Bench:
    """The queue and its worker. The first job is the one that runs."""

    def __init__(self) -> None:
        self._jobs: deque[Job] = deque()
        self._changed = threading.Condition()
        threading.Thread(target=self._work, name="laboratory", daemon=True).start()

    def submit(self, job: Job) -> None:
        """Put a job at the end of the queue.

        Raises:
            FullError: too many are waiting.
        """
        with self._changed:
            if len(self._jobs) >= _MOST:
                raise FullError(f"{len(self._jobs)} trainings are waiting")
            job.state, job.wanted = "waiting", True
            job.show()
            self._jobs.append(job)
            self._changed.notify()

    def stop(self, job: Job) -> None:
        """Let a job end after its step, or leave the queue."""
        with self._changed:
            job.wanted = False
            if job.state == "waiting" and job in self._jobs:
                self._jobs.remove(job)
                job.state = "stopped"

    def ahead(self, job: Job) -> int:
        """How many jobs are before this one; 0 for the one that runs or is not here."""
        with self._changed:
            before = list(self._jobs)
        return before.index(job) if job in before else 0

    def _work(self) -> None:
        torch.set_num_threads(1)  # a tiny model gains nothing from more, and others need them
        while True:
            with self._changed:
                self._changed.wait_for(lambda: len(self._jobs) > 0)
                job = self._jobs[0]
                if job.wanted and not job.is_left:
                    job.state = "running"
            state: State
            try:
                state = _train(job)
            except Exception as error:
                job.problem, state = str(error), "failed"
            with self._changed:
                if job in self._jobs:
                    self._jobs.remove(job)
                job.state = state


def _train(job: Job) -> State:
    """Step after step, until it is done, stopped or left."""
    while job.training.step < job.until:
        if not job.wanted:
            return "stopped"
        if job.is_left:
            return "left"
        point = job.training.advance()
        if point is not None:
            job.points.append(point)
        time.sleep(_BREATH)
    return "done"
