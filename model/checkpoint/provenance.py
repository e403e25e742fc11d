"""The types of ``config.json`` and ``history.jsonl``, which record how a model was trained.

They name only what the app reads. Other keys of the files are allowed.
"""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, NotRequired, TypedDict

from msgspec import convert

from model.files.json_file import Count, NonNegative, Number, Setting, Text


class HistoryLine(TypedDict):
    """The measurements at one training step: a line of ``history.jsonl``."""

    step: Count  # steps so far
    seconds: NonNegative  # of training so far
    epochs: NotRequired[NonNegative]  # passes through the corpus so far, with a fraction
    loss: NotRequired[Number]  # in nats per token, mean since the line before
    # source and target positions, padding included, since the line before
    tokens_per_second: NotRequired[NonNegative]
    learning_rate: NotRequired[NonNegative]  # of Muon
    dev_bleu: NotRequired[NonNegative]  # 0 to 100
    dev_chrf: NotRequired[NonNegative]  # 0 to 100


class ScoreFacts(TypedDict, total=False):
    """The fields of a stored score that the app reads."""

    least_sure: NonNegative  # 99 % quantile of the perplexities of the translations


class TrainingFacts(TypedDict, total=False):
    """The fields of "training" in ``config.json`` that the app reads."""

    steps: Count
    seconds: NonNegative
    hardware: Text
    epochs: NonNegative
    precision: Text
    languages: tuple[Text | None, Text | None]  # of source and target; None: not known
    settings_history: list[dict[str, Setting]]  # see ``model.training.saved_state``
    scores: dict[Text, ScoreFacts]  # by split and decoding: "test, greedy"


class ConfigFile(TypedDict):
    """The content of ``config.json``."""

    architecture: dict[str, Any]
    training: NotRequired[dict[str, Any]]


_SEPARATOR = ", then "  # between the names of the machines that a training ran on


def followed_by(earlier: str, later: str) -> str:
    """Join the hardware names of two training sessions, without adjacent duplicates.

    >>> followed_by("2 CPU cores, then 1 CPU core", "1 CPU core")
    '2 CPU cores, then 1 CPU core'
    """
    machines = [*machines_in(earlier), *machines_in(later)]
    return _SEPARATOR.join(machine for machine, _ in groupby(filter(None, machines)))


def machines_in(hardware: str) -> list[str]:
    """Return the names that ``followed_by`` has joined."""
    return hardware.split(_SEPARATOR)


def check_settings_history(settings_history: Sequence[Mapping[str, Setting]]) -> None:
    """Raise ValueError unless every entry has "from_step" (its first step) and "steps"."""
    for entry in settings_history:
        for name in ("from_step", "steps"):
            convert(entry.get(name), Count)
