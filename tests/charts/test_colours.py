"""Colours of the themes: the scale of maps, from background to ink, and the colours of heads."""

import numpy as np
import pytest

from tests.charts.colour_vision import CONES, OKLAB, VISIONS, linear, luminance, settings_of_theme


def _lightness(colour: str) -> float:
    """Return CIE L* of an sRGB colour: 116 f(Y) - 16, where Y is the relative luminance."""
    y = luminance(colour)
    if y <= 216 / 24389:
        return 24389 / 27 * y
    return 116 * np.cbrt(y) - 16


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_lightness_changes_in_equal_steps_from_the_background_to_the_ink(theme):
    settings = settings_of_theme(theme)
    levels = np.array([_lightness(colour) for colour in settings["chartSequentialColors"]])
    steps = np.diff(levels)
    assert len(levels) == 10
    assert np.abs(steps - steps.mean()).max() < 0.05 * abs(steps.mean())
    assert abs(steps.sum()) > 75
    assert abs(levels[0] - _lightness(settings["backgroundColor"])) < 6
    paper = luminance(settings["backgroundColor"])
    # every head has enough contrast to the background
    for colour in settings["chartCategoricalColors"]:
        low, high = sorted((paper, luminance(colour)))
        assert (high + 0.05) / (low + 0.05) >= 3, colour  # WCAG 2.2, 1.4.11


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_people_with_any_colour_vision_can_tell_the_heads_apart(theme, vision):
    colours = settings_of_theme(theme)["chartCategoricalColors"]
    light = np.array([linear(colour) for colour in colours]) @ np.transpose(VISIONS[vision])
    lab = np.cbrt(light.clip(0, 1) @ np.transpose(CONES)) @ np.transpose(OKLAB)  # (8, 3)
    apart = np.linalg.norm(lab[:, None] - lab[None], axis=-1)
    # a difference of 0.02 is just visible
    assert apart[np.triu_indices(len(colours), k=1)].min() > 0.1
