"""The tables that compare checkpoints, row by row from numbers made up for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from model.evaluation.comparison_card import write_comparison_card

FACTS = {
    "n_parameters": 1_234_567,
    "greedy": {"bleu": 41.256, "chrf": 61.5},
    "beam search": {"bleu": 42.0, "chrf": 62.034},
}
TRAINED = FACTS | {"seconds": 5400, "epochs": 12.34, "hardware": "2 cores"}
COMPARISON = {
    "sentences": 2000,
    "date": "2026-01-02",
    "command": "python -m model.compare",
    "models": {"a": TRAINED, "b": FACTS},
    "by_length": [
        {"words": (1, 3), "sentences": 1201, "mean_words": 2.5, "bleu": {"a": 50.04, "b": 49.06}},
        {"words": (7, 7), "sentences": 799, "mean_words": 7.0, "bleu": {"a": 40.0, "b": 39.0}},
    ],
    "joined": [{"joined": 2, "sentences": 200, "mean_words": 11.25, "bleu": {"a": 30.5, "b": 3.0}}],
}


@pytest.fixture
def lines(tmp_path: Path) -> list[str]:
    write_comparison_card(tmp_path, COMPARISON)
    return (tmp_path / "README.md").read_text(encoding="utf-8").splitlines()


def after(lines: list[str], start: str) -> list[str]:
    """The rows of the table whose head starts so: one line between them and the head."""
    (head,) = [i for i, line in enumerate(lines) if line.startswith(start)]
    assert lines[head + 1] == "|---" * (lines[head].count("|") - 1) + "|"
    rows = lines[head + 2 :]
    return rows[: rows.index("")] if "" in rows else rows


def test_a_row_for_each_model_and_each_length(lines):
    """5400 seconds are 90 minutes; of the other model no training is known."""
    assert after(lines, "| model |") == [
        "| a | 1,234,567 | 12.3 epochs, 90 minutes on 2 cores | 41.26 | 61.50 | 42.00 | 62.03 |",
        "| b | 1,234,567 |  | 41.26 | 61.50 | 42.00 | 62.03 |",
    ]
    assert after(lines, "| words |") == [
        "| 1 to 3 | 1,201 | 50.0 | 49.1 |",
        "| 7 | 799 | 40.0 | 39.0 |",
    ]
    assert after(lines, "| sentences joined (mean words) |") == ["| 2 (11.2) | 200 | 30.5 | 3.0 |"]


def test_who_has_no_folder_can_be_made_again(tmp_path):
    (tmp_path / "kept").mkdir()
    models = {name: TRAINED | {"command": f"train {name}"} for name in ("kept", "gone")}
    bucket = {"words": (1, 3), "sentences": 9, "mean_words": 2.5, "bleu": {"kept": 1, "gone": 2}}
    write_comparison_card(
        tmp_path, COMPARISON | {"models": models, "by_length": [bucket], "joined": []}
    )
    card = (tmp_path / "README.md").read_text(encoding="utf-8")
    said = "\n\ngone was trained to be compared, and is not kept here:\n\n    train gone\n\n## By"
    assert said in card
    assert "train kept" not in card
