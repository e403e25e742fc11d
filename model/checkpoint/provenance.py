"""How a model came about, as ``config.json`` and ``history.jsonl`` tell it: tables, in which what
the app does not ask for is kept."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, NotRequired, TypedDict

from msgspec import convert

from model.files.json_file import Count, NonNegative, Number, Setting, Text


class Line(TypedDict):
    """A line of ``history.jsonl``."""

    step: Count
    seconds: NonNegative
    epochs: NotRequired[NonNegative]
    loss: NotRequired[Number]
    tokens_per_second: NotRequired[NonNegative]
    learning_rate: NotRequired[NonNegative]
    dev_bleu: NotRequired[NonNegative]
    dev_chrf: NotRequired[NonNegative]


class Sureness(TypedDict, total=False):
    """Of a score, as far as the app asks for it."""

    least_sure: NonNegative


class Facts(TypedDict, total=False):
    """How a model came about, as far as the app shows it."""

    steps: Count
    seconds: NonNegative
    hardware: Text
    epochs: NonNegative
    precision: Text
    languages: tuple[Text | None, Text | None]
    settings_history: list[dict[str, Setting]]
    scores: dict[Text, Sureness]
    converted_from: Text
    licence: Text | None
    guided_alignment: bool


class ConfigFile(TypedDict):
    """``config.json``."""

    architecture: dict[str, Any]
    training: NotRequired[dict[str, Any]]


_THEN = ", then "


def followed_by(earlier: str, later: str) -> str:
    """What one part of a training ran on, and the next; what stays the same is told once.

    >>> followed_by("2 CPU cores, then 1 CPU core", "1 CPU core")
    '2 CPU cores, then 1 CPU core'
    """
    parts = [*filter(None, earlier.split(_THEN)), *filter(None, later.split(_THEN))]
    return _THEN.join(part for part, _ in groupby(parts))


def check_settings_history(settings_history: Sequence[Mapping[str, Setting]]) -> None:
    """ValueError unless every entry says from which step it holds, and for how many."""
    for entry in settings_history:
        for name in ("from_step", "steps"):
            convert(entry.get(name), Count)
