"""One visitor's training in the laboratory."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from model.lessons.learning.laboratory import Evaluation, Settings, ToyTraining
from ui.server.queue import Job


class Run(Job[Evaluation]):
    """A training that is done at some step, and can be sent further.

    Args:
        settings: what is trained.
        until: the step at which it is done.
        is_here: whether the visitor is still connected.
    """

    def __init__(
        self, settings: Settings, until: int, is_here: Callable[[], bool] = lambda: True
    ) -> None:
        self.settings, self.until = settings, until
        self.training = ToyTraining(settings)
        super().__init__(self._learn, is_here)

    def _learn(self) -> Iterator[Evaluation | None]:
        while self.training.step < self.until:
            yield self.training.advance()
