"""The head that aligns best, from an analysis made up for it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from model.alignment_head import best_reading_head
from model.analysis import ANALYSIS


def write(folder: Path, alignment: dict[str, Any] | None) -> Path:
    (folder / ANALYSIS).write_text(json.dumps({"alignment": alignment}), encoding="utf-8")
    return folder


def test_the_head_with_the_smallest_error_of_its_weights(tmp_path: Path) -> None:
    rates = {
        "weights AWI": {"heads": [[0.5, 0.4, 0.3], [0.6, 0.29, 0.7]]},
        "weights AWO": {"heads": [[0.1, 0.4, 0.3], [0.6, 0.29, 0.7]]},
        "norms AWI": {"heads": [[0.5, 0.1, 0.3], [0.6, 0.29, 0.7]]},
    }
    assert best_reading_head(write(tmp_path, {"rates": rates})) == (1, 1)


def test_nothing_measured(tmp_path: Path) -> None:
    assert best_reading_head(tmp_path) is None
    assert best_reading_head(write(tmp_path, None)) is None


def test_a_damaged_analysis(tmp_path: Path) -> None:
    (tmp_path / ANALYSIS).write_text("{")
    with pytest.raises(ValueError, match="damaged"):
        best_reading_head(tmp_path)
