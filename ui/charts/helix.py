"""A wave and its companion over the positions: a curve in space that one can turn."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go  # type: ignore[import-untyped]

_HEIGHT = 560  # pixels
_STRETCH = 1.8  # how many times as long the axis of positions is as the others


def helix(
    sine: npt.NDArray[np.floating],
    cosine: npt.NDArray[np.floating],
    *,
    sine_title: str,
    cosine_title: str,
    position_title: str,
) -> go.Figure:
    """Draw the points (sine, cosine, p) for p = 0, 1, ..., upwards: so it fits a narrow screen too.

    Args:
        sine: (N,) in [-1, 1], one value a position.
        cosine: (N,) in [-1, 1], likewise.
        sine_title: what the one axis is.
        cosine_title: what the other is.
        position_title: what the axis is along which they wind.

    Returns:
        A figure that takes the width it is given. Colours are the theme's, from the first position
        to the last.

    Raises:
        ValueError: the two are not equally long, or hold nothing.
    """
    sine, cosine = np.asarray(sine, np.float32), np.asarray(cosine, np.float32)
    if sine.shape != cosine.shape or sine.ndim != 1 or not sine.size:
        raise ValueError(f"a helix winds through two equal rows, got {sine.shape}, {cosine.shape}")
    position = np.arange(len(sine), dtype=np.float32)
    # The palest third of the scale is the paper's colour, or nearly.
    n = len(sine)
    colours = {"color": position + n / 2, "cmin": 0, "cmax": 1.5 * n}
    shown = f"{position_title} %{{z}}<br>{sine_title} %{{x:.3f}}<br>{cosine_title} %{{y:.3f}}"
    curve = go.Scatter3d(
        x=sine,
        y=cosine,
        z=position,
        mode="lines+markers",
        line={"width": 4, **colours},
        marker={"size": 3, **colours},
        hovertemplate=f"{shown}<extra></extra>",
    )
    figure = go.Figure(curve)
    figure.update_layout(
        height=_HEIGHT,
        margin={"l": 0, "r": 0, "t": 0, "b": 0},
        scene={
            "xaxis": {"title": sine_title, "range": [-1.1, 1.1]},
            "yaxis": {"title": cosine_title, "range": [-1.1, 1.1]},
            "zaxis": {"title": position_title},
            "aspectmode": "manual",
            "aspectratio": {"x": 1, "y": 1, "z": _STRETCH},
            "camera": {"eye": {"x": 1.7, "y": -2.3, "z": 1.1}, "center": {"z": -0.1}},
        },
    )
    return figure
