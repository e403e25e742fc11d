"""One piece of work at a time: a queue in front of a single thread, shared by all visitors.

Whoever trains or measures comes here, so that two trainings never share the processor and no two
measurements measure each other. A page that shows a job says so every second. A job is put aside
as soon as its visitor is gone, and when nobody has shown it for some seconds; it can be handed in
again and goes on where it was.
"""

import functools
import math
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, Generic, Literal, TypeVar

import torch

T = TypeVar("T")

PATIENCE = 15.0  # seconds; a busy server may be slow to show a job again
_MOST = 40  # jobs in the queue
_BREATH = 0.002  # seconds after every step, in which others get their turn

State = Literal["waiting", "running", "stopped", "done", "left", "failed"]


class Job(Generic[T]):
    """One visitor's piece of work. Only the worker takes its steps.

    Args:
        begin: gives the steps; each ``next`` does a little work and may have a result, or None.
            They are asked for by the worker, and again after they have come to an end.
        is_here: whether the visitor is still connected.
    """

    def __init__(
        self, begin: Callable[[], Iterator[T | None]], is_here: Callable[[], bool] = lambda: True
    ) -> None:
        self.begin, self.is_here = begin, is_here
        self.results: list[T] = []  # what came so far, oldest first
        self.state: State = "waiting"
        self.wanted = True  # until the visitor asks it to stop
        self.problem = ""  # what went wrong
        self._steps: Iterator[T | None] | None = None
        self.show()

    @property
    def active(self) -> bool:
        """Whether it is running or will be."""
        return self.state in ("waiting", "running")

    def show(self) -> None:
        """A page shows it: its visitor is still there."""
        self._shown = time.monotonic()

    def leave(self) -> None:
        """The visitor has gone to another page."""
        self._shown = -math.inf

    @property
    def is_left(self) -> bool:
        """Whether its visitor is gone, or nobody has shown it for too long."""
        return not self.is_here() or time.monotonic() - self._shown > PATIENCE

    def work(self) -> State:
        """Step after step, until it is done, stopped or left."""
        try:
            if self._steps is None:
                self._steps = self.begin()
            while not self.is_left:
                if not self.wanted:
                    return "stopped"
                result = next(self._steps)
                if result is not None:
                    self.results.append(result)
                time.sleep(_BREATH)
        except StopIteration:
            self._steps = None
            return "done"
        except Exception as error:
            self.problem, self._steps = str(error), None
            return "failed"
        return "left"


class FullError(ValueError):
    """Too many jobs are waiting."""


class WorkQueue:
    """The queue and its worker. The first job is the one that runs."""

    def __init__(self) -> None:
        self._jobs: list[Job[Any]] = []
        self._changed = threading.Condition()
        threading.Thread(target=self._work, name="work", daemon=True).start()

    def submit(self, job: Job[Any]) -> None:
        """Put a job at the end of the queue.

        Raises:
            FullError: too many are waiting.
        """
        with self._changed:
            if self.length >= _MOST:
                raise FullError(f"{self.length} jobs are waiting")
            job.state, job.wanted = "waiting", True
            job.show()
            self._jobs.append(job)
            self._changed.notify()

    def stop(self, job: Job[Any]) -> None:
        """Let a job end after its step, or leave the queue."""
        with self._changed:
            job.wanted = False
            if job.state == "waiting" and job in self._jobs:
                self._jobs.remove(job)
                job.state = "stopped"

    def ahead(self, job: Job[Any]) -> int:
        """How many jobs are before this one; 0 for the one that runs or is not here."""
        with self._changed:
            self._put_aside()
            return self._jobs.index(job) if job in self._jobs else 0

    @property
    def length(self) -> int:
        """How many jobs are here: the one that runs and those that wait."""
        with self._changed:
            self._put_aside()
            return len(self._jobs)

    def _put_aside(self) -> None:
        """Those who wait and have left make room."""
        for job in [job for job in self._jobs if job.state == "waiting" and job.is_left]:
            self._jobs.remove(job)
            job.state = "left"

    def _work(self) -> None:
        torch.set_num_threads(1)  # small work gains nothing from more, and others need them
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self.length > 0)
                job = self._jobs[0]
                job.state = "running"
            state = job.work()
            with self._changed:
                self._jobs.remove(job)
                job.state = state


@functools.cache  # not Streamlit's cache, which every visitor can clear with a message
def work_queue() -> WorkQueue:
    """The one queue of this server."""
    return WorkQueue()
