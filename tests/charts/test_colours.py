"""The one scale of all maps: even steps of lightness, from the page's paper to its ink."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import pytest

CONFIG = Path(__file__).parents[2] / ".streamlit" / "config.toml"


def _lightness(colour: str) -> float:
    """CIE L* of an sRGB colour: 116 f(Y) - 16, Y the relative luminance."""
    rgb = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    luminance = float(linear @ [0.2126, 0.7152, 0.0722])
    return 116 * np.cbrt(luminance) - 16 if luminance > 216 / 24389 else 24389 / 27 * luminance


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_lightness_changes_by_equal_steps_away_from_the_paper(theme):
    settings = tomllib.loads(CONFIG.read_text(encoding="utf-8"))["theme"][theme]
    levels = np.array([_lightness(colour) for colour in settings["chartSequentialColors"]])
    steps = np.diff(levels)
    assert len(levels) == 10
    assert np.abs(steps - steps.mean()).max() < 0.05 * abs(steps.mean())
    assert abs(steps.sum()) > 75
    assert abs(levels[0] - _lightness(settings["backgroundColor"])) < 6
