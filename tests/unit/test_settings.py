"""What a training and the commands take, and what they do when nothing is said."""

from __future__ import annotations

import argparse
import ast
from dataclasses import fields

import pytest

from model import analyse, compare, download, evaluate, train, translate
from model.recurrent.config import RecurrentConfig
from model.training.trainer import TrainingConfig
from model.transformer.config import OF_OTHERS, ModelConfig
from tests.unit.test_chosen_numbers import rows


@pytest.mark.parametrize("row", rows(4), ids=lambda row: row[0])
def test_a_setting_may_be_what_its_row_says_and_nothing_beyond(row: list[str]) -> None:
    name, _, low, high = row
    smallest, largest = ast.literal_eval(low), ast.literal_eval(high)
    for value in (smallest, largest):
        assert getattr(TrainingConfig(**{"steps": 5, name: value}), name) == value
    step = 1 if isinstance(largest, int) and largest > 10 and smallest == int(smallest) else 1e-7
    for value in (smallest - step, largest + step, float("nan")):
        with pytest.raises(ValueError, match=f"^{name} must be from"):
            TrainingConfig(**{"steps": 5, name: value})


def test_every_setting_has_a_row() -> None:
    assert [row[0] for row in rows(4)] == [field.name for field in fields(TrainingConfig)]


def parsed(parser: argparse.ArgumentParser, needed: str) -> dict[str, object]:
    """All options of a command, where only what it cannot do without is given."""
    return vars(parser.parse_args(needed.split()))


def test_options_of_a_training_begin_as_the_configurations_do() -> None:
    found = parsed(train._parser(), "--corpus a --out b --steps 3")
    for config in (RecurrentConfig, ModelConfig, TrainingConfig):  # the Transformer's win
        for field in fields(config):
            if field.name not in ("arch", "vocab_size", "steps", *OF_OTHERS):
                assert found[field.name] == field.default, field.name
    chosen = {"vocab_size": 8000, "threads": None, "snapshots": 0, "begin_with": None}
    chosen |= {"device": "auto", "precision": "auto", "resume": False, "overwrite": False}
    chosen |= {"arch": "transformer"}
    assert {name: found[name] for name in chosen} == chosen


@pytest.mark.parametrize(
    ("parser", "needed", "expected"),
    [
        (translate._parser(), "--checkpoint a", {"beam": 1, "json": False, "text": []}),
        (
            evaluate._parser(),
            "--checkpoint a --pairs b",
            {"beam": 1, "json": False, "robustness": False, "split": None, "corpus": None},
        ),
        (
            analyse._parser(),
            "--checkpoint a --pairs b",
            {"sentences": 500, "means_only": False, "alignments": None, "baseline": None},
        ),
        (compare._parser(), "--checkpoints a --pairs b", {"split": None, "corpus": None}),
        (download._parser(), "fra-eng", {"to": "data", "url": None, "sha256": None}),
    ],
)
def test_options_of_a_command_begin_as_its_help_says(
    parser: argparse.ArgumentParser, needed: str, expected: dict[str, object]
) -> None:
    found = parsed(parser, needed)
    assert {name: found[name] for name in expected} == expected
