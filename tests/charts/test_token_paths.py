"""Paths in space: the points that were given, up to the layer that was asked for."""

from __future__ import annotations

import numpy as np
import pytest

from ui.charts.token_paths import token_paths

TITLES = {"layer_titles": ["embedding", "layer 1", "layer 2"], "axis_titles": ["a", "b", "c"]}
PLACES = np.random.default_rng(1).normal(size=(3, 2, 3)).astype(np.float32)


@pytest.mark.parametrize("last", range(3))
def test_points_and_lines_are_the_places(last) -> None:
    lines, points = token_paths(PLACES, ["<b>x</b>", "y"], **TITLES, last=last).data
    shown = PLACES[: last + 1].transpose(1, 0, 2).reshape(-1, 3)
    np.testing.assert_array_equal(np.stack((points.z, points.x, points.y), axis=1), shown)
    drawn = np.stack((lines.z, lines.x, lines.y), axis=1)
    np.testing.assert_array_equal(drawn[~np.isnan(drawn[:, 0])], shown)
    assert np.isnan(drawn[last + 1]).all()  # no line from one token to the next
    assert [text for text in points.text if text] == ["<b>x</b>", "y"]
    assert points.hovertext[0] == "&lt;b&gt;x&lt;/b&gt;<br>embedding"
    assert points.text[last]
    assert points.text[-1]


def test_the_axes_stay_whatever_is_drawn() -> None:
    spans = []
    for last in range(3):
        scene = token_paths(PLACES, ["x", "y"], **TITLES, last=last).layout.scene
        spans.append([axis.range for axis in (scene.zaxis, scene.xaxis, scene.yaxis)])
    assert spans[0] == spans[1] == spans[2]
    for (low, high), values in zip(spans[0], PLACES.reshape(-1, 3).T, strict=True):
        assert low < values.min()
        assert values.max() < high


@pytest.mark.parametrize("last", [-1, 3])
def test_what_does_not_fit_is_refused(last) -> None:
    with pytest.raises(ValueError, match="do not fit"):
        token_paths(PLACES, ["x", "y"], **TITLES, last=last)
    with pytest.raises(ValueError, match="do not fit"):
        token_paths(PLACES, ["x"], **TITLES, last=0)
