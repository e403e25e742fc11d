"""The head that aligns best, from an analysis made up for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from model.heads.best_aligning_head import best_reading_head


def best_of(monkeypatch: pytest.MonkeyPatch, analysis: Any) -> tuple[int, int] | None:
    monkeypatch.setattr("model.heads.best_aligning_head.read_analysis", lambda _: analysis)
    return best_reading_head(Path("any"))


def test_the_head_with_the_smallest_error_of_its_weights(monkeypatch):
    rates = {
        "weights AWI": {"heads": [[0.5, 0.4, 0.3], [0.6, 0.29, 0.7]]},
        "weights AWO": {"heads": [[0.1, 0.4, 0.3], [0.6, 0.29, 0.7]]},
        "norms AWI": {"heads": [[0.5, 0.1, 0.3], [0.6, 0.29, 0.7]]},
    }
    assert best_of(monkeypatch, {"alignment": {"rates": rates}}) == (1, 1)


def test_nothing_measured(monkeypatch):
    assert best_of(monkeypatch, None) is None
    assert best_of(monkeypatch, {"alignment": None}) is None
