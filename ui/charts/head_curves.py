"""One measure of every head over the steps of a training."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import numpy as np
import numpy.typing as npt
import pandas as pd  # type: ignore[import-untyped]


def head_curves(
    values: npt.NDArray[np.floating],
    steps: Sequence[int],
    *,
    layer_names: Sequence[str],
    head_names: Sequence[str],
    chosen: tuple[int, int],
    x_title: str,
    y_title: str,
    height: int = 300,
) -> alt.Chart:
    """Draw a line for each head, in the colour of its layer; the chosen head's is thick.

    Steps stand on a scale that is linear up to the first one after 0 and logarithmic from there.

    Args:
        values: (N, layers, heads) in [0, 1].
        steps: N steps, rising from 0.
        layer_names: what each layer is called.
        head_names: what each head is called.
        chosen: layer and head, from 0.
        x_title: what a step is.
        y_title: what the values are.
        height: of the plot, in pixels.

    Raises:
        ValueError: the shape does not fit steps and names, or a value lies outside [0, 1].
    """
    if values.shape != (len(steps), len(layer_names), len(head_names)):
        raise ValueError(
            f"values of shape {values.shape} do not fit {len(steps)} steps, {len(layer_names)} "
            f"layers and {len(head_names)} heads"
        )
    if not (values.min() >= 0 and values.max() <= 1 + 1e-6):
        raise ValueError(f"values must lie in [0, 1], got {values.min()} to {values.max()}")
    place, layer, head = np.indices(values.shape).reshape(3, -1)
    table = pd.DataFrame(
        {
            "step": np.array(steps)[place],
            "value": values.ravel(),
            "layer": np.array(layer_names, dtype=object)[layer],
            "head": np.array(head_names, dtype=object)[head],
            "chosen": (layer == chosen[0]) & (head == chosen[1]),
        }
    )
    scale = alt.Scale(type="symlog", constant=max(1, *steps[1:2]), nice=False)
    axis = alt.Axis(values=list(steps), format=",d", labelOverlap="greedy")
    chart: alt.Chart = (
        alt.Chart(table, width="container", height=height)
        .mark_line(point=True)
        .encode(
            x=alt.X("step:Q", title=x_title, scale=scale, axis=axis),
            y=alt.Y("value:Q", title=y_title, scale=alt.Scale(domain=[0, 1])),
            color=alt.Color(
                "layer:N",
                sort=list(layer_names),
                title=None,
                legend=alt.Legend(orient="top", symbolOpacity=1),
            ),
            detail="head:N",
            strokeWidth=alt.condition("datum.chosen", alt.value(4), alt.value(1.5)),
            opacity=alt.condition("datum.chosen", alt.value(1), alt.value(0.5)),
            tooltip=[
                alt.Tooltip("layer:N", title=" "),
                alt.Tooltip("head:N", title=" "),
                alt.Tooltip("step:Q", title=x_title, format=",d"),
                alt.Tooltip("value:Q", title=y_title, format=".3f"),
            ],
        )
    )
    return chart
