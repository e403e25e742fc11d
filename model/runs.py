"""The course of a training, finished or not, as its folder tells it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open

from model.checkpoint import CONFIG, HISTORY, CheckpointError, read_history
from model.training import STATE

_PATIENCE = 3  # times the last wait for a line: a run silent for longer has stopped
_LEAST_PATIENCE = 120.0  # seconds
_FIRST_PATIENCE = 1800.0  # seconds, before the first line, when nobody knows how long one takes


@dataclass(frozen=True)
class Run:
    """One training.

    Args:
        name: of its folder.
        history: the lines of ``history.jsonl``, oldest first.
        course: the settings, each entry with ``from_step``; empty where none is written yet.
        written: when the last line was, in seconds since 1970; None where there is no line.
        seen: when anything was, a line or a state to resume from.
        finished: whether it made all its steps.
    """

    name: str
    history: list[dict[str, Any]]
    course: list[dict[str, Any]]
    written: float | None
    seen: float
    finished: bool

    @property
    def steps(self) -> int | None:
        """How many it shall have in all; None where that is not written yet."""
        return int(self.course[-1]["steps"]) if self.course else None

    def goes_on(self, now: float) -> bool:
        """Whether it seems to be running: unfinished, and heard of not long ago.

        Args:
            now: seconds since 1970.
        """
        return not self.finished and now - self.seen <= self._patience()

    def _patience(self) -> float:
        if not self.history:
            return _FIRST_PATIENCE
        *_, before, last = 0.0, *(float(line["seconds"]) for line in self.history)
        return max(_LEAST_PATIENCE, _PATIENCE * (last - before))


def list_runs(root: str | Path) -> list[str]:
    """Names of the folders below ``root`` that tell of a training, sorted."""
    found = (path.parent.name for name in (HISTORY, STATE) for path in Path(root).glob(f"*/{name}"))
    return sorted(set(found))


def read_run(folder: Path) -> Run:
    """What a folder tells of its training, also while that goes on.

    Raises:
        CheckpointError: one of its files is damaged, or the folder tells of no training.
    """
    written, saved = (_written(folder / name) for name in (HISTORY, STATE))
    if written is None and saved is None:
        raise CheckpointError(f"The folder {folder} tells of no training any more.")
    history = read_history(folder)
    course, finished = _course(folder, history)
    return Run(
        name=folder.name,
        history=history,
        course=course,
        written=written,
        seen=max(written or 0, saved or 0),
        finished=finished,
    )


def changed_settings(course: list[dict[str, Any]]) -> dict[str, list[Any]]:
    """Every setting with its values, entry after entry; None where it is what it was before.

    >>> first = {"from_step": 0, "warmup": 9, "seed": 7}
    >>> changed_settings([first, first | {"from_step": 5, "warmup": 3}])
    {'warmup': [9, 3], 'seed': [7, None]}
    """
    found: dict[str, list[Any]] = {}
    for name in course[-1] if course else ():
        if name != "from_step":
            values = [entry.get(name) for entry in course]
            before = [None, *values[:-1]]
            found[name] = [
                None if now == then else now for now, then in zip(values, before, strict=True)
            ]
    return found


def _written(path: Path) -> float | None:
    return path.stat().st_mtime if path.is_file() else None


def _course(folder: Path, history: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], bool]:
    """The settings, and whether all steps are made; the state of a run knows it best.

    A configuration tells of another run, the one before, as long as the history has not reached
    the steps that it names.
    """
    state, config = folder / STATE, folder / CONFIG
    try:
        if state.is_file():
            with safe_open(state, "pt") as file:
                metadata = {name: json.loads(text) for name, text in file.metadata().items()}
            course = metadata["course"]
            return course, metadata["progress"]["step"] >= course[-1]["steps"]
        if config.is_file():
            training = json.loads(config.read_text(encoding="utf-8"))["training"]
            if history and history[-1]["step"] >= training.get("steps", 0):
                return training.get("course", []), True
    except (SafetensorError, OSError, LookupError, AttributeError, TypeError, ValueError) as error:
        raise CheckpointError(
            f"The folder {folder} does not tell the settings of its training ({error}). Restore "
            f"{CONFIG} and {STATE} from where they came from."
        ) from error
    return [], False
