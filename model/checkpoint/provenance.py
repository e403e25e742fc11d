"""How a model came about, as ``config.json`` and ``history.jsonl`` tell it.

These stay tables: what the app does not ask for is kept as it is.
"""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict

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
    """What a model had behind it whose weights a training began with; see ``checkpoint.before``."""

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
