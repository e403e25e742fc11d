"""One measure of every head over the steps of a training."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import numpy as np
import numpy.typing as npt

from ui.charts.chart import Chart, design


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
) -> Chart:
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
    return Chart(
        _design(x_title, y_title),
        height=height,
        tables={
            "curves": {
                "step": np.array(steps)[place],
                "value": values.ravel(),
                "layer": np.array(layer_names, dtype=object)[layer],
                "head": np.array(head_names, dtype=object)[head],
                "chosen": (layer == chosen[0]) & (head == chosen[1]),
            }
        },
        values={
            "steps": list(steps),
            "linear": max(1, *steps[1:2]),
            "layers": list(layer_names),
        },
        numbers={
            x_title: np.array(steps)[place],
            "layer": layer + 1,
            "head": head + 1,
            y_title: values.ravel(),
        },
    )


@design
def _design(x_title: str, y_title: str) -> alt.Chart:
    across = alt.Scale(type="symlog", constant=alt.expr("linear"), nice=False)
    axis = alt.Axis(values=alt.expr("steps"), format=",d", labelOverlap="greedy")
    chart: alt.Chart = (
        alt.Chart(alt.NamedData("curves"))
        .mark_line(point=True)
        .encode(
            x=alt.X("step:Q", title=x_title, scale=across, axis=axis),
            y=alt.Y("value:Q", title=y_title, scale=alt.Scale(domain=[0, 1])),
            color=alt.Color(
                "layer:N",
                scale=alt.Scale(domain=alt.expr("layers")),
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
