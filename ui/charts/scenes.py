"""What one can turn in space: a wave over the positions, and the paths of tokens.

The first axis points upwards, so that they fit a narrow screen too.
"""

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
import plotly.graph_objects as go  # type: ignore[import-untyped]

from model.pictures.tokens import in_full
from ui.charts.chart import Array

_AXES = "zxy"  # of the three numbers of a place
_LINE = "#9a9a94"  # WebGL mixes what is transparent with white
_ROOM = 0.06  # of the longest side, left free around the paths


def helix(
    sine: Array, cosine: Array, *, sine_title: str, cosine_title: str, position_title: str
) -> go.Figure:
    """Draw the points (sine, cosine, p) for p = 0, 1, ... in the colours of the theme's scale.

    Args:
        sine, cosine: (N,) in [-1, 1], one value a position.
    """
    n, position = len(sine), np.arange(len(sine), dtype=np.float32)
    # The palest third of the scale is the paper's colour, or nearly.
    colours = {"color": position + n / 2, "cmin": 0, "cmax": 1.5 * n}
    hover = f"{position_title} %{{z}}<br>{sine_title} %{{x:.3f}}<br>{cosine_title} %{{y:.3f}}"
    curve = go.Scatter3d(
        x=sine,
        y=cosine,
        z=position,
        mode="lines+markers",
        line={"width": 4, **colours},
        marker={"size": 3, **colours},
        hovertemplate=f"{hover}<extra></extra>",
    )
    axes = {
        "xaxis": {"title": sine_title, "range": [-1.1, 1.1]},
        "yaxis": {"title": cosine_title, "range": [-1.1, 1.1]},
        "zaxis": {"title": position_title},
    }
    camera = {"eye": {"x": 1.7, "y": -2.3, "z": 1.1}, "center": {"z": -0.1}}
    return _scene([curve], axes, {"x": 1, "y": 1, "z": 1.8}, camera, height=560)


def token_paths(
    places: Array,
    tokens: Sequence[str],
    *,
    layer_titles: Sequence[str],
    axis_titles: Sequence[str],
    last: int,
) -> go.Figure:
    """Draw where each token is at each layer; its name stands at the last one that is drawn.

    A step is equally long along all axes, so that distances can be compared, and nothing jumps when
    another layer is drawn. Colours are the theme's, from the first layer to the last.

    Args:
        places: (layers + 1, T, 3).
        tokens: T visible tokens.
        layer_titles, axis_titles: of the layers + 1 places, and of the 3 axes.
        last: the last place drawn, from 0.

    Raises:
        ValueError: the shapes do not fit together.
    """
    n_places, n_tokens = len(layer_titles), len(tokens)
    if places.shape != (n_places, n_tokens, 3) or not 0 <= last < n_places:
        raise ValueError(
            f"places of shape {places.shape} do not fit {n_places} layers and {n_tokens} tokens"
        )
    drawn = places[: last + 1].transpose(1, 0, 2)  # (T, last + 1, 3)
    gap = np.full((n_tokens, 1, 3), np.nan)
    paths = go.Scatter3d(  # all of them as one line with gaps
        **_at(np.concatenate((drawn, gap), axis=1)),
        mode="lines",
        line={"color": _LINE, "width": 3},
        hoverinfo="skip",
    )
    middle = (places.max(axis=(0, 1)) + places.min(axis=(0, 1))) / 2
    sides = np.ptp(places, axis=(0, 1))
    reach = np.maximum(sides / 2 + _ROOM * sides.max(), 1e-6)
    axes = {
        f"{axis}axis": {"title": title, "range": [middle[n] - reach[n], middle[n] + reach[n]]}
        for n, (axis, title) in enumerate(zip(_AXES, axis_titles, strict=True))
    }
    lengths = dict(zip(_AXES, (1.6 * reach / reach.max()).tolist(), strict=True))
    camera = {"eye": {"x": 1.7, "y": -2.3, "z": 0.9}, "center": {"z": -0.05}}
    scene = _scene([paths, _points(drawn, tokens, layer_titles)], axes, lengths, camera, height=640)
    # the way in which it was turned stays, when another layer is drawn
    return scene.update_layout(showlegend=False, uirevision="kept")


def _points(drawn: Array, names: Sequence[str], layer_titles: Sequence[str]) -> go.Scatter3d:
    n_drawn = drawn.shape[1]
    layers = np.tile(np.arange(n_drawn), len(drawn)) + len(layer_titles) / 2  # colours as above
    return go.Scatter3d(
        **_at(drawn),
        mode="markers+text",
        marker={"size": 4, "color": layers, "cmin": 0, "cmax": 1.5 * len(layer_titles) - 1},
        text=[name if n == n_drawn - 1 else "" for name in names for n in range(n_drawn)],
        textposition="top center",
        # the box reads tags, the picture does not
        hovertext=[
            f"{escape(in_full(name))}<br>{title}"
            for name in names
            for title in layer_titles[:n_drawn]
        ],
        hovertemplate="%{hovertext}<extra></extra>",
    )


def _at(places: Array) -> dict[str, Array]:
    return dict(zip(_AXES, places.reshape(-1, 3).T, strict=True))


def _scene(
    data: list[go.Scatter3d],
    axes: dict[str, Any],
    ratio: dict[str, float],
    camera: dict[str, Any],
    *,
    height: int,
) -> go.Figure:
    """A figure that takes the width it is given."""
    return go.Figure(data).update_layout(
        height=height,
        margin={"l": 0, "r": 0, "t": 0, "b": 0},
        scene={**axes, "aspectmode": "manual", "aspectratio": ratio, "camera": camera},
    )
