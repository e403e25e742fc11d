"""The tokens of a sentence as paths in space, layer after layer, which one can turn."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go  # type: ignore[import-untyped]

_HEIGHT = 620  # pixels
_LINE = "rgba(128, 128, 128, 0.45)"
_ROOM = 0.06  # of the longest side, left free around the paths


def token_paths(
    places: npt.NDArray[np.floating],
    tokens: Sequence[str],
    *,
    layer_titles: Sequence[str],
    axis_titles: Sequence[str],
    last: int,
) -> go.Figure:
    """Draw where each token is at each layer; its name stands at the last one that is drawn.

    The axes have one scale, that of the whole path, so that distances can be compared and nothing
    jumps from layer to layer.

    Args:
        places: (layers + 1, T, 3).
        tokens: T visible tokens.
        layer_titles: what each of the layers + 1 places is called.
        axis_titles: three.
        last: the last place drawn, from 0.

    Returns:
        A figure that takes the width it is given. Colours are the theme's, from the first layer to
        the last.

    Raises:
        ValueError: the shapes do not fit together.
    """
    n_places, n_tokens = len(layer_titles), len(tokens)
    if places.shape != (n_places, n_tokens, 3) or not 0 <= last < n_places:
        raise ValueError(
            f"places of shape {places.shape} do not fit {n_places} layers and {n_tokens} tokens"
        )
    shown = places[: last + 1].transpose(1, 0, 2)  # (T, last + 1, 3)
    names = [escape(token) for token in tokens]  # Plotly reads tags in texts
    figure = go.Figure([_paths(shown), _points(shown, names, layer_titles)])
    middle = (places.max(axis=(0, 1)) + places.min(axis=(0, 1))) / 2
    reach = (0.5 + _ROOM) * float(np.ptp(places, axis=(0, 1)).max()) or 1.0
    axes = {
        f"{axis}axis": {"title": title, "range": [middle[n] - reach, middle[n] + reach]}
        for n, (axis, title) in enumerate(zip("xyz", axis_titles, strict=True))
    }
    figure.update_layout(
        height=_HEIGHT,
        margin={"l": 0, "r": 0, "t": 0, "b": 0},
        showlegend=False,
        uirevision="kept",  # the way in which it was turned, when another layer is drawn
        scene={**axes, "aspectmode": "cube", "camera": {"eye": {"x": 1.5, "y": -1.5, "z": 0.8}}},
    )
    return figure


def _paths(shown: npt.NDArray[np.floating]) -> go.Scatter3d:
    """All paths as one line with gaps."""
    gap = np.full((len(shown), 1, 3), np.nan)
    x, y, z = np.concatenate((shown, gap), axis=1).reshape(-1, 3).T
    return go.Scatter3d(
        x=x, y=y, z=z, mode="lines", line={"color": _LINE, "width": 3}, hoverinfo="skip"
    )


def _points(
    shown: npt.NDArray[np.floating], names: Sequence[str], layer_titles: Sequence[str]
) -> go.Scatter3d:
    n_drawn = shown.shape[1]
    x, y, z = shown.reshape(-1, 3).T
    # The palest third of the scale is the paper's colour, or nearly.
    layers = np.tile(np.arange(n_drawn), len(shown)) + len(layer_titles) / 2
    return go.Scatter3d(
        x=x,
        y=y,
        z=z,
        mode="markers+text",
        marker={"size": 4, "color": layers, "cmin": 0, "cmax": 1.5 * len(layer_titles)},
        text=[name if n == n_drawn - 1 else "" for name in names for n in range(n_drawn)],
        textposition="top center",
        hovertext=[f"{name}<br>{title}" for name in names for title in layer_titles[:n_drawn]],
        hovertemplate="%{hovertext}<extra></extra>",
    )
