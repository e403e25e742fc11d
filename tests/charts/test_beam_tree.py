"""The beam as a tree: as wide as its tokens need, and no wider."""

from __future__ import annotations

import pytest

from model.pictures.text_width import text_width
from ui.charts.beam_tree import Branch, beam_tree_chart

TITLES = {"winner": "won", "kept": "kept", "pruned": "given up"}


def _width(token: str, steps: int = 12) -> int:
    branches = [Branch(n, 0, 0, token, 0.0, "winner") for n in range(1, steps + 1)]
    return beam_tree_chart(branches, titles=TITLES, score_title="score").width


@pytest.mark.parametrize("token", ["a", "demandé", "·professionnellement", "未经许可的行为"])
def test_a_token_has_its_room_and_ten_pixels_between_the_lines(token: str) -> None:
    """Lines leave free 0.72 of a step."""
    step = _width(token) / 12
    assert 0.72 * step >= text_width(token, 14) + 10
    assert step == 72 or 0.72 * (step - 1) < text_width(token, 14) + 10


def test_twelve_steps_of_common_words_fit_beside_nothing_on_1440_pixels() -> None:
    assert _width("demandé") <= 1344
    assert _width("a") == 12 * 72
