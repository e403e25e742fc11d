"""A queue of jobs for all visitors. One thread works on one job at a time.

Trainings and measurements run here, so two trainings never compete for the processor, and two
measurements never disturb each other.

A page that shows a job calls ``Job.show`` every second. A job is paused as soon as its visitor has
disconnected, or when no page has shown it for some seconds. A paused job can be submitted again; it
continues where it was.
"""

import functools
import math
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, Generic, Literal, TypeVar

import torch

from ui.state.messages import without_folders

T = TypeVar("T")

SECONDS_UNTIL_LEFT = 15.0  # seconds without being shown; a busy server may show a job late
_MAX_JOBS = 40
_PAUSE_SECONDS = 0.002  # after every step, so that other threads can run

State = Literal["waiting", "running", "stopped", "done", "left", "failed"]


class Job(Generic[T]):
    """A visitor's work in small steps, which only the queue's thread executes.

    Args:
        begin: returns the steps; each ``next`` does a little work and yields a result or None. A
            job that is submitted again after it was done calls ``begin`` again.
        is_here: whether the visitor is still connected.
    """

    def __init__(
        self, begin: Callable[[], Iterator[T | None]], is_here: Callable[[], bool] = lambda: True
    ) -> None:
        self.begin = begin
        self.is_here = is_here
        self.results: list[T] = []  # so far, oldest first
        self.state: State = "waiting"
        self.stop_requested = False
        self.problem = ""  # the message of the error that ended it
        self._steps: Iterator[T | None] | None = None
        self.show()

    @property
    def active(self) -> bool:
        """True while the job waits or runs."""
        return self.state in ("waiting", "running")

    def show(self) -> None:
        """Record that a page shows the job at this moment, so its visitor is still interested."""
        self._shown = time.monotonic()

    def leave(self) -> None:
        """Record that the visitor has gone to another page."""
        self._shown = -math.inf

    @property
    def is_left(self) -> bool:
        """Whether the visitor has disconnected, or no page has shown the job for some seconds."""
        seconds = time.monotonic() - self._shown
        return not self.is_here() or seconds > SECONDS_UNTIL_LEFT

    def work(self) -> State:
        """Take steps until the job is done, stopped, left or failed; return the final state."""
        try:
            if self._steps is None:
                self._steps = self.begin()
            while not self.is_left:
                if self.stop_requested:
                    return "stopped"
                result = next(self._steps)
                if result is not None:
                    self.results.append(result)
                time.sleep(_PAUSE_SECONDS)
        except StopIteration:
            self._steps = None
            return "done"
        except Exception as error:
            self.problem = without_folders(error)
            self._steps = None
            return "failed"
        return "left"


class FullError(ValueError):
    """The error when too many jobs are waiting."""


class WorkQueue:
    """The queue and its thread. The first job in the queue is the running job."""

    def __init__(self) -> None:
        self._jobs: list[Job[Any]] = []
        self._changed = threading.Condition()
        threading.Thread(target=self._work, name="work", daemon=True).start()

    def submit(self, job: Job[Any]) -> None:
        """Put a job at the end of the queue.

        Raises:
            FullError: too many jobs are waiting.
        """
        with self._changed:
            if self.length >= _MAX_JOBS:
                raise FullError(f"{self.length} jobs are waiting")
            job.state = "waiting"
            job.stop_requested = False
            job.show()
            self._jobs.append(job)
            self._changed.notify()

    def stop(self, job: Job[Any]) -> None:
        """Let a running job end after its current step; remove a waiting job from the queue."""
        with self._changed:
            job.stop_requested = True
            if job.state == "waiting" and job in self._jobs:
                self._jobs.remove(job)
                job.state = "stopped"

    def ahead(self, job: Job[Any]) -> int:
        """Return how many jobs come before this one; 0 if it runs or is not in the queue."""
        with self._changed:
            self._remove_left_jobs()
            return self._jobs.index(job) if job in self._jobs else 0

    @property
    def length(self) -> int:
        """The number of jobs, running and waiting."""
        with self._changed:
            self._remove_left_jobs()
            return len(self._jobs)

    def _remove_left_jobs(self) -> None:
        """Remove waiting jobs whose visitors have left."""
        left = [job for job in self._jobs if job.state == "waiting" and job.is_left]
        for job in left:
            self._jobs.remove(job)
            job.state = "left"

    def _work(self) -> None:
        """Run one job after the other, for ever: the body of the queue's thread."""
        torch.set_num_threads(1)  # small jobs gain nothing from more threads
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self.length > 0)
                job = self._jobs[0]
                job.state = "running"
            state = job.work()
            with self._changed:
                self._jobs.remove(job)
                job.state = state


@functools.cache  # not Streamlit's cache, because every visitor can clear that with a message
def work_queue() -> WorkQueue:
    """Return the only queue of this server."""
    return WorkQueue()
