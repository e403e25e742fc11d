"""Three-dimensional pictures: a wave over the positions, and the paths of tokens.

The first axis points upwards, so that the pictures also fit a narrow screen.
"""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np
import plotly.graph_objects as go  # type: ignore[import-untyped]

from model.pictures.tokens import in_full
from ui.charts.chart import Array

_AXES = "zxy"  # Plotly's axis of the first, the second and the third number of a point
_PATH_COLOUR = "#9a9a94"  # not transparent, because WebGL mixes transparent colours with white
_NAME_COLOUR = "#000037"  # Streamlit draws the darkest grey of the theme, in dark the lightest
_NAME = 13  # pixels of the letters of a token's name
_PRESENTED_NAME = 20  # pixels, on a projector
_HEIGHT = 480  # pixels: most of the paths are on the first screen of a laptop
_PRESENTED_HEIGHT = 640  # pixels
_EYE = (2.0, -2.71, 1.05)  # Plotly's x, y and z of the point from which one sees the paths
_MARGIN = 0.06  # free space around the paths, as a share of the longest side


def helix(
    sine: Array, cosine: Array, *, sine_title: str, cosine_title: str, position_title: str
) -> go.Figure:
    """Draw the points (sine, cosine, p) for p = 0, 1, ... in the colours of the theme.

    Args:
        sine: (N,) in [-1, 1], one value for each position.
        cosine: (N,) in [-1, 1], one value for each position.
        sine_title: the name of the axis of the sine.
        cosine_title: the name of the axis of the cosine.
        position_title: the name of the axis of the positions.
    """
    n = len(sine)
    position = np.arange(n, dtype=np.float32)
    # Skip the first third of the colour scale, because it is too close to the page's colour.
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
    points: Array,
    tokens: Sequence[str],
    *,
    layer_titles: Sequence[str],
    last: int,
    is_presented: bool = False,
) -> go.Figure:
    """Draw the path of each token through the layers, with its name at the last drawn layer.

    A step is equally long along all axes, so that distances can be compared, and nothing jumps when
    a different layer is drawn. Colours are the theme's, from the first layer to the last.

    Args:
        points: (layers + 1, T, 3): each token before the first layer and after each layer.
        tokens: T visible tokens.
        layer_titles: layers + 1 names, for the tooltips.
        last: index of the last layer that is drawn, from 0.
        is_presented: whether the picture is higher and its names are larger, for a projector.

    Raises:
        ValueError: the shapes do not fit together.
    """
    n_layers = len(layer_titles)
    n_tokens = len(tokens)
    if points.shape != (n_layers, n_tokens, 3) or not 0 <= last < n_layers:
        raise ValueError(
            f"points of shape {points.shape} do not fit {n_layers} layers and {n_tokens} tokens"
        )

    # 1. Draw all paths as one line with gaps
    drawn = points[: last + 1].transpose(1, 0, 2)  # (T, last + 1, 3)
    gap = np.full((n_tokens, 1, 3), np.nan)
    paths = go.Scatter3d(
        **_coordinates(np.concatenate((drawn, gap), axis=1)),
        mode="lines",
        line={"color": _PATH_COLOUR, "width": 3},
        hoverinfo="skip",
    )

    # 2. Scale the axes for all layers, including layers that are not drawn yet
    middle = (points.max(axis=(0, 1)) + points.min(axis=(0, 1))) / 2  # (3,)
    sides = np.ptp(points, axis=(0, 1))  # (3,)
    reach = np.maximum(sides / 2 + _MARGIN * sides.max(), 1e-6)  # (3,), half of each axis
    axes = {}
    for n, axis in enumerate(_AXES):
        ends = [middle[n] - reach[n], middle[n] + reach[n]]
        # only distances say something, not the numbers of a component
        axes[f"{axis}axis"] = {"title": "", "range": ends, "showticklabels": False}
    lengths = dict(zip(_AXES, (1.6 * reach / reach.max()).tolist(), strict=True))
    # The bottom of the box is nearer to the eye, and therefore larger, than its top.
    camera = {"eye": dict(zip("xyz", _EYE, strict=True)), "center": {"z": -0.35}}

    # 3. Make the picture. A constant uirevision keeps the visitor's camera position when the layer
    # changes
    markers = _token_markers(drawn, tokens, layer_titles)
    markers.textfont.size = _PRESENTED_NAME if is_presented else _NAME
    height = _PRESENTED_HEIGHT if is_presented else _HEIGHT
    scene = _scene([paths, markers], axes, lengths, camera, height=height)
    return scene.update_layout(showlegend=False, uirevision="kept")


def _token_markers(
    points: Array, tokens: Sequence[str], layer_titles: Sequence[str]
) -> go.Scatter3d:
    """Return a dot for each token at each drawn layer.

    Args:
        points: (T, drawn layers, 3), the coordinates.
        tokens: T of them.
        layer_titles: the name of every layer.
    """
    n_tokens, n_drawn, _ = points.shape
    n_layers = len(layer_titles)
    texts = []
    hover_texts = []
    for token in tokens:
        texts += [""] * (n_drawn - 1) + [token]
        for title in layer_titles[:n_drawn]:
            # Escape the text: a tooltip interprets HTML tags, but a text in the picture does not
            hover_texts.append(f"{escape(in_full(token))}<br>{title}")
    # Skip the first third of the colour scale, as in ``helix``.
    colours = np.tile(np.arange(n_drawn), n_tokens) + n_layers / 2
    return go.Scatter3d(
        **_coordinates(points),
        mode="markers+text",
        marker={"size": 4, "color": colours, "cmin": 0, "cmax": 1.5 * n_layers - 1},
        text=texts,
        textfont={"color": _NAME_COLOUR},
        textposition=np.repeat(_name_places(points), n_drawn),
        hovertext=hover_texts,
        hovertemplate="%{hovertext}<extra></extra>",
    )


def _name_places(points: Array) -> list[str]:
    """Return for each token where its name is: beyond the end of its path, and so not over it.

    Args:
        points: (T, drawn layers, 3), the coordinates.
    """
    # 1. The directions to the right and upwards, as seen from the eye
    eye = np.array(_EYE)
    right = np.cross(-eye, (0, 0, 1))
    right /= np.linalg.norm(right)
    upwards = np.cross(right, -eye / np.linalg.norm(eye))

    # 2. The last step of each path, as seen
    steps = points[:, -1] - points[:, max(0, points.shape[1] - 2)]  # (T, 3)
    steps = steps[:, [_AXES.index(axis) for axis in "xyz"]]
    places = []
    for to_right, up in zip(steps @ right, steps @ upwards, strict=True):
        if abs(to_right) > 1.5 * abs(up):
            places.append("middle right" if to_right > 0 else "middle left")
        else:
            places.append("top center" if up >= 0 else "bottom center")
    return places


def _coordinates(points: Array) -> dict[str, Array]:
    """Split points (..., 3) into one array for each of Plotly's axes."""
    return dict(zip(_AXES, points.reshape(-1, 3).T, strict=True))


def _scene(
    data: list[go.Scatter3d],
    axes: Mapping[str, Any],
    lengths: Mapping[str, float],
    camera: Mapping[str, Any],
    *,
    height: int,
) -> go.Figure:
    """Return a figure that fills the width of its container.

    Args:
        data: what is drawn.
        axes: Plotly's name of each axis ("xaxis") to its settings.
        lengths: "x", "y" and "z" to the length of the axis in the picture.
        camera: Plotly's settings of the point of view.
        height: in pixels.
    """
    return go.Figure(data).update_layout(
        height=height,
        margin={"l": 0, "r": 0, "t": 0, "b": 0},
        scene={**axes, "aspectmode": "manual", "aspectratio": lengths, "camera": camera},
    )
