"""What a training and the commands take, and what they do when nothing is said."""

from __future__ import annotations

import argparse
from dataclasses import fields

import pytest

from model import analyse, compare, download, evaluate, train, translate
from model.recurrent.config import RecurrentConfig
from model.training.trainer import TrainingConfig
from model.transformer.config import OF_OTHERS, ModelConfig

RANGES = [
    ("steps", 1, 1_000_000_000),
    ("token_budget", 1, 1_000_000_000),
    ("muon_lr", 0, 1),
    ("adamw_lr", 0, 1),
    ("warmup", 0, 1_000_000_000),
    ("cooldown", 1e-6, 1),
    ("label_smoothing", 0, 0.999),
    ("bpe_dropout", 0, 1),
    ("copying", 0, 1),
    ("made_sentences", 0, 10),
    ("agreement", 0, 10),
    ("as_typed", 0, 1),
    ("joined", 0, 1),
    ("ema_decay", 0, 1),
    ("max_grad_norm", 1e-9, 1_000_000_000),
    ("eval_every", 1, 1_000_000_000),
    ("save_every", 1, 1_000_000_000),
    ("seed", 0, 1_000_000_000),
]


@pytest.mark.parametrize(("name", "smallest", "largest"), RANGES)
def test_a_setting_may_be_what_its_range_says_and_nothing_beyond(
    name: str, smallest: float, largest: float
) -> None:
    for value in (smallest, largest):
        assert getattr(TrainingConfig(**{"steps": 5, name: value}), name) == value
    step = 1 if isinstance(largest, int) and largest > 10 and smallest == int(smallest) else 1e-7
    for value in (smallest - step, largest + step, float("nan")):
        with pytest.raises(ValueError, match=f"^{name} must be from"):
            TrainingConfig(**{"steps": 5, name: value})


def test_every_setting_has_a_range() -> None:
    assert [name for name, *_ in RANGES] == [field.name for field in fields(TrainingConfig)]


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
