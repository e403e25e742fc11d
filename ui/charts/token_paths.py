"""The tokens of a sentence as paths in space, layer after layer, which one can turn."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go  # type: ignore[import-untyped]

from model.pictures.tokens import in_full

_HEIGHT = 640  # pixels
_AXES = "zxy"  # of the three numbers of a place
_LINE = "#9a9a94"  # WebGL mixes what is transparent with white
_ROOM = 0.06  # of the longest side, left free around the paths
_STRETCH = 1.6  # how long the longest axis is drawn
_CAMERA = {"eye": {"x": 1.7, "y": -2.3, "z": 0.9}, "center": {"z": -0.05}}


def token_paths(
    places: npt.NDArray[np.floating],
    tokens: Sequence[str],
    *,
    layer_titles: Sequence[str],
    axis_titles: Sequence[str],
    last: int,
) -> go.Figure:
    """Draw where each token is at each layer; its name stands at the last one that is drawn.

    A step is equally long along all axes, so that distances can be compared, and nothing jumps when
    another layer is drawn. The first axis points upwards: so it fits a narrow screen too.

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
    figure = go.Figure([_paths(shown), _points(shown, tokens, layer_titles)])
    middle = (places.max(axis=(0, 1)) + places.min(axis=(0, 1))) / 2
    sides = np.ptp(places, axis=(0, 1))
    reach = np.maximum(sides / 2 + _ROOM * sides.max(), 1e-6)
    axes = {
        f"{axis}axis": {"title": title, "range": [middle[n] - reach[n], middle[n] + reach[n]]}
        for n, (axis, title) in enumerate(zip(_AXES, axis_titles, strict=True))
    }
    lengths = dict(zip(_AXES, (_STRETCH * reach / reach.max()).tolist(), strict=True))
    figure.update_layout(
        height=_HEIGHT,
        margin={"l": 0, "r": 0, "t": 0, "b": 0},
        showlegend=False,
        uirevision="kept",  # the way in which it was turned, when another layer is drawn
        scene={**axes, "aspectmode": "manual", "aspectratio": lengths, "camera": _CAMERA},
    )
    return figure


def _paths(shown: npt.NDArray[np.floating]) -> go.Scatter3d:
    """All paths as one line with gaps."""
    gap = np.full((len(shown), 1, 3), np.nan)
    line = np.concatenate((shown, gap), axis=1)
    return go.Scatter3d(
        **_at(line), mode="lines", line={"color": _LINE, "width": 3}, hoverinfo="skip"
    )


def _points(
    shown: npt.NDArray[np.floating], names: Sequence[str], layer_titles: Sequence[str]
) -> go.Scatter3d:
    n_drawn = shown.shape[1]
    # The palest third of the scale is the paper's colour, or nearly.
    layers = np.tile(np.arange(n_drawn), len(shown)) + len(layer_titles) / 2
    return go.Scatter3d(
        **_at(shown),
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


def _at(places: npt.NDArray[np.floating]) -> dict[str, npt.NDArray[np.floating]]:
    return dict(zip(_AXES, places.reshape(-1, 3).T, strict=True))
