"""How a model came about, as ``config.json`` and ``history.jsonl`` tell it: tables, in which what
the app does not ask for is kept. A training that began with another's weights goes on where that
one ended."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, NotRequired, TypedDict

from msgspec import convert

from model.files.json_file import Count, Number, Positive, Setting, Text


class Line(TypedDict):
    """A line of ``history.jsonl``."""

    step: Count
    seconds: Positive
    epochs: NotRequired[Positive]
    loss: NotRequired[Number]
    tokens_per_second: NotRequired[Positive]
    learning_rate: NotRequired[Positive]
    dev_bleu: NotRequired[Positive]
    dev_chrf: NotRequired[Positive]


class Sureness(TypedDict, total=False):
    """Of a score, as far as the app asks for it."""

    least_sure: Positive


class Before(TypedDict):
    """What a model had behind it whose weights a training began with."""

    steps: Count
    epochs: Positive
    seconds: Positive
    hardware: NotRequired[Text]
    history: list[Line]
    settings_history: list[dict[str, Setting]]


class Facts(TypedDict, total=False):
    """How a model came about, as far as the app shows it."""

    steps: Count
    seconds: Positive
    hardware: Text
    epochs: Positive
    precision: Text
    languages: tuple[Text | None, Text | None]
    settings_history: list[dict[str, Setting]]
    before: Before
    scores: dict[Text, Sureness]
    converted_from: Text
    licence: Text | None
    guided_alignment: bool


class ConfigFile(TypedDict):
    """``config.json``."""

    architecture: dict[str, Any]
    training: NotRequired[dict[str, Any]]


class RunFile(TypedDict):
    """``config.json`` as the end of a training."""

    training: Facts


_THEN = ", then "
NOTHING: Before = {"steps": 0, "epochs": 0, "seconds": 0, "history": [], "settings_history": []}


def whole_way(training: Mapping[str, Any], history: Sequence[Line]) -> Before:
    """What a finished model has behind it, with what it began with.

    After that part of its ``config.json``, where what is not told counts as 0, and its own history.
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


def check_settings_history(settings_history: Sequence[Mapping[str, Setting]]) -> None:
    """ValueError unless every entry says from which step it holds, and for how many."""
    for entry in settings_history:
        for name in ("from_step", "steps"):
            convert(entry.get(name), Count)
