"""A training that began with another's weights goes on where that one ended: one way in all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from msgspec import convert

from model.checkpoint.provenance import Before, Line
from model.files.json_file import Count, Setting

_THEN = ", then "
NOTHING: Before = {"steps": 0, "epochs": 0, "seconds": 0, "history": [], "settings_history": []}


def whole_way(training: Mapping[str, Any], history: Sequence[Line]) -> Before:
    """What a finished model has behind it, with what it began with.

    Args:
        training: that part of its ``config.json``; what is not told counts as 0.
        history: lines of its own training, oldest first.
    """
    before = training.get("before", NOTHING)
    return {
        "steps": before["steps"] + training.get("steps", 0),
        "epochs": round(before["epochs"] + training.get("epochs", 0), 2),
        "seconds": before["seconds"] + training.get("seconds", 0),
        "hardware": followed_by(before.get("hardware", ""), training.get("hardware", "")),
        "history": whole_history(before, history),
        "settings_history": whole_settings(before, training.get("settings_history", [])),
    }


def followed_by(earlier: str, later: str) -> str:
    """What one part of a training ran on, and the next; what stays the same is told once.

    >>> followed_by("2 CPU cores, then 1 CPU core", "1 CPU core")
    '2 CPU cores, then 1 CPU core'
    """
    parts = [*filter(None, earlier.split(_THEN)), *filter(None, later.split(_THEN))]
    return _THEN.join(part for part, _ in groupby(parts))


def whole_history(before: Before, history: Sequence[Line]) -> list[Line]:
    """The lines of both, with steps, epochs and seconds counted from the first beginning."""
    own = []
    for line in history:
        later = line | {
            "step": before["steps"] + line["step"],
            "seconds": before["seconds"] + line["seconds"],
        }
        if "epochs" in line:
            later["epochs"] = round(before["epochs"] + line["epochs"], 2)
        own.append(later)
    return [*before["history"], *own]


def whole_settings(
    before: Before, settings_history: Sequence[Mapping[str, Setting]]
) -> list[dict[str, Setting]]:
    """The settings of both, with steps counted from the first beginning."""
    places = ("from_step", "steps")
    own = [
        {**entry} | {name: before["steps"] + convert(entry[name], Count) for name in places}
        for entry in settings_history
    ]
    return [*before["settings_history"], *own]
