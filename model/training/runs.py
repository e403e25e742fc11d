"""The course of a training, finished or not, as its folder tells it."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from model.checkpoint.checkpoint import CONFIG, HISTORY, read_config, read_history
from model.checkpoint.provenance import Line
from model.files.checkpoint_error import CheckpointError
from model.files.json_file import Setting
from model.files.regular_file import exists
from model.files.replacing import NEW, folder_names, resolve
from model.training.saved_state import STATE, SettingsHistory, read_state

_PATIENCE = 3  # times the last wait for a line: a run silent for longer has stopped
_LEAST_PATIENCE = 120.0  # seconds
_FIRST_PATIENCE = 1800.0  # seconds, before the first line, when nobody knows how long one takes


@dataclass(frozen=True)
class Run:
    """One training; times are in seconds since 1970."""

    name: str  # of its folder
    history: list[Line]  # oldest first
    settings_history: SettingsHistory  # each with ``from_step``; empty where none is written yet
    written: float | None  # when the last line was; None where there is no line
    seen: float  # when anything was, a line or a state to resume from
    finished: bool  # whether it made all its steps

    @property
    def steps(self) -> int | None:
        """How many it shall have in all; None where that is not written yet."""
        return _steps(self.settings_history) if self.settings_history else None

    def goes_on(self, now: float) -> bool:
        """Whether it seems to be running: unfinished, and heard of not long before ``now``."""
        patience = _FIRST_PATIENCE
        if self.history:
            *_, before, last = 0.0, *(line["seconds"] for line in self.history)
            patience = max(_LEAST_PATIENCE, _PATIENCE * (last - before))
        return not self.finished and now - self.seen <= patience


def list_runs(root: str | Path) -> list[str]:
    """Names of the folders below ``root`` that tell of a training, sorted."""
    root = Path(root)
    return [
        name
        for name in folder_names(root, also=(NEW,))
        if any(exists(resolve(root / name) / file) for file in (HISTORY, STATE))
    ]


def read_run(folder: Path) -> Run:
    """What a folder tells of its training, also while that goes on; CheckpointError if nothing."""
    place = resolve(folder)
    written, saved = (_written(place / name) for name in (HISTORY, STATE))
    if written is None and saved is None:
        raise CheckpointError(f"The folder {folder} tells of no training any more.")
    history = read_history(place)
    settings_history, finished = _settings_history(place, history)
    seen = max(written or 0, saved or 0)
    return Run(folder.name, history, settings_history, written, seen, finished)


def changed_settings(settings_history: SettingsHistory) -> dict[str, list[Setting]]:
    """Every setting with its values, entry after entry; None where it is what it was before.

    >>> first = {"from_step": 0, "warmup": 9, "seed": 7}
    >>> changed_settings([first, first | {"from_step": 5, "warmup": 3}])
    {'warmup': [9, 3], 'seed': [7, None]}
    """
    found: dict[str, list[Setting]] = {}
    for name in settings_history[-1] if settings_history else ():
        if name != "from_step":
            values = [None, *(entry.get(name) for entry in settings_history)]
            found[name] = [None if now == then else now for then, now in pairwise(values)]
    return found


def _written(path: Path) -> float | None:
    try:
        return path.stat().st_mtime
    except (OSError, ValueError):
        return None


def _settings_history(folder: Path, history: Sequence[Line]) -> tuple[SettingsHistory, bool]:
    """The settings, and whether all steps are made; a state knows it best.

    A configuration tells of another run, the one before, as long as the history has not reached
    the steps that it names.
    """
    if exists(folder / STATE):
        state = read_state(folder / STATE, with_tensors=False)
        finished = state.progress.step >= _steps(state.settings_history)
        return state.settings_history, finished
    if exists(folder / CONFIG):
        training = read_config(folder)[1]
        if history and history[-1]["step"] >= training.get("steps", 0):
            return training.get("settings_history", []), True
    return [], False


def _steps(settings_history: SettingsHistory) -> int:
    steps = settings_history[-1]["steps"]
    assert isinstance(steps, int)  # as ``check_settings_history`` has seen
    return steps
