"""Read the history of a training run, finished or not, from its folder."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from model.checkpoint.checkpoint import CONFIG, HISTORY, read_config, read_history
from model.checkpoint.provenance import HistoryLine
from model.files.checkpoint_error import CheckpointError
from model.files.json_file import Setting
from model.files.regular_file import exists
from model.files.replacing import NEW, list_folders, resolve
from model.training.saved_state import STATE, SettingsHistory, read_state

# A training run counts as stopped if no file has changed for this many times the interval between
# two history lines.
_SILENCE_FACTOR = 3
_MIN_SILENCE_SECONDS = 120.0
_FIRST_LINE_SECONDS = 1800.0  # used before the first line, when the duration of a line is unknown


@dataclass(frozen=True)
class Run:
    """The history of one training run. Times are in seconds since 1970."""

    name: str  # of its folder
    history: list[HistoryLine]  # oldest first
    settings_history: SettingsHistory  # empty if none is written yet
    last_line: float | None  # time of the last line; None without a line
    last_change: float  # time of the last line or saved state
    finished: bool  # whether it made all its steps

    @property
    def steps(self) -> int | None:
        """The total number of steps of the run; None if no file states it yet."""
        return _steps(self.settings_history) if self.settings_history else None

    def seems_running(self, now: float) -> bool:
        """Return whether the run is unfinished and a file changed shortly before ``now``."""
        if self.finished:
            return False
        max_silence = _FIRST_LINE_SECONDS
        if self.history:
            times = [0.0, *(line["seconds"] for line in self.history)]
            seconds_of_last_line = times[-1] - times[-2]
            max_silence = max(_MIN_SILENCE_SECONDS, _SILENCE_FACTOR * seconds_of_last_line)
        return now - self.last_change <= max_silence


def list_runs(root: str | Path) -> list[str]:
    """Return the names of the folders below ``root`` that contain a training run, sorted."""
    root = Path(root)
    return [
        name
        for name in list_folders(root, also=(NEW,))
        if any(exists(resolve(root / name) / file) for file in (HISTORY, STATE))
    ]


def read_run(folder: Path) -> Run:
    """Read the history of a training run, which may still be active.

    Raises:
        CheckpointError: the folder holds no training, or a file of it is damaged.
    """
    source = resolve(folder)
    last_line = _modified(source / HISTORY)
    last_state = _modified(source / STATE)
    if last_line is None and last_state is None:
        raise CheckpointError(f"The folder {folder} holds no training any more.")
    history = read_history(source)
    settings_history, finished = _settings_history(source, history)
    return Run(
        name=folder.name,
        history=history,
        settings_history=settings_history,
        last_line=last_line,
        last_change=max(last_line or 0, last_state or 0),
        finished=finished,
    )


def changed_settings(settings_history: SettingsHistory) -> dict[str, list[Setting]]:
    """Return the values of each setting, one for each entry of the history.

    Returns:
        By name; None where the value is the same as in the entry before.

    >>> first = {"from_step": 0, "warmup": 9, "seed": 7}
    >>> changed_settings([first, first | {"from_step": 5, "warmup": 3}])
    {'warmup': [9, 3], 'seed': [7, None]}
    """
    if not settings_history:
        return {}
    changes: dict[str, list[Setting]] = {}
    for name in settings_history[-1]:
        if name != "from_step":
            values = [None, *(entry.get(name) for entry in settings_history)]
            changes[name] = [new if new != old else None for old, new in pairwise(values)]
    return changes


def _modified(path: Path) -> float | None:
    """Return when a file was changed, in seconds since 1970; None if there is no such file."""
    try:
        return path.stat().st_mtime
    except (OSError, ValueError):
        return None


def _settings_history(folder: Path, history: Sequence[HistoryLine]) -> tuple[SettingsHistory, bool]:
    """Return the history of the settings, and whether all steps are done.

    The saved state decides. Without one, the configuration does, once the history has reached its
    steps: before, it belongs to an earlier training in the same folder.
    """
    if exists(folder / STATE):
        state = read_state(folder / STATE, with_tensors=False)
        finished = state.progress.step >= _steps(state.settings_history)
        return state.settings_history, finished
    if exists(folder / CONFIG):
        _, training = read_config(folder)
        if history and history[-1]["step"] >= training.get("steps", 0):
            return training.get("settings_history", []), True
    return [], False


def _steps(settings_history: SettingsHistory) -> int:
    steps = settings_history[-1]["steps"]
    assert isinstance(steps, int)  # ``check_settings_history`` has checked it
    return steps
