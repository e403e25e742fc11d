"""Colours of the themes: the one scale of all maps, from paper to ink, and those of the heads."""

import tomllib
from pathlib import Path

import numpy as np
import pytest

CONFIG = Path(__file__).parents[2] / ".streamlit" / "config.toml"

# What is left of linear RGB where one kind of cone is missing. Source: Machado, Oliveira, Fernandes
# 2009, "A Physiologically-based Model for Simulation of Color Vision Deficiency", severity 1.
VISIONS = {
    "all cones": np.eye(3),
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
# Source: Ottosson 2020, "A perceptual color space for image processing".
_CONES = [
    [0.4122214708, 0.5363325363, 0.0514459929],
    [0.2119034982, 0.6806995451, 0.1073969566],
    [0.0883024619, 0.2817188376, 0.6299787005],
]
_OKLAB = [
    [0.2104542553, 0.7936177850, -0.0040720468],
    [1.9779984951, -2.4285922050, 0.4505937099],
    [0.0259040371, 0.7827717662, -0.8086757660],
]


def _theme(name: str) -> dict:
    return tomllib.loads(CONFIG.read_text(encoding="utf-8"))["theme"][name]


def _linear(colour: str) -> np.ndarray:
    """Red, green and blue light of "#rrggbb"."""
    sign = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    return np.where(sign <= 0.04045, sign / 12.92, ((sign + 0.055) / 1.055) ** 2.4)


def _luminance(colour: str) -> float:
    return float(_linear(colour) @ [0.2126, 0.7152, 0.0722])


def _lightness(colour: str) -> float:
    """CIE L* of an sRGB colour: 116 f(Y) - 16, Y the relative luminance."""
    luminance = _luminance(colour)
    return 116 * np.cbrt(luminance) - 16 if luminance > 216 / 24389 else 24389 / 27 * luminance


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_lightness_changes_by_equal_steps_away_from_the_paper(theme):
    settings = _theme(theme)
    levels = np.array([_lightness(colour) for colour in settings["chartSequentialColors"]])
    steps = np.diff(levels)
    assert len(levels) == 10
    assert np.abs(steps - steps.mean()).max() < 0.05 * abs(steps.mean())
    assert abs(steps.sum()) > 75
    assert abs(levels[0] - _lightness(settings["backgroundColor"])) < 6
    paper = _luminance(settings["backgroundColor"])
    for colour in settings["chartCategoricalColors"]:  # every head stands out from it
        low, high = sorted((paper, _luminance(colour)))
        assert (high + 0.05) / (low + 0.05) >= 3, colour  # WCAG 2.2, 1.4.11


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_two_heads_look_the_same_to_any_eye(theme, vision):
    colours = _theme(theme)["chartCategoricalColors"]
    light = np.array([_linear(colour) for colour in colours]) @ np.transpose(VISIONS[vision])
    lab = np.cbrt(light.clip(0, 1) @ np.transpose(_CONES)) @ np.transpose(_OKLAB)  # (8, 3)
    apart = np.linalg.norm(lab[:, None] - lab[None], axis=-1)
    assert apart[np.triu_indices(len(colours), k=1)].min() > 0.1  # 0.02 is what one just sees
