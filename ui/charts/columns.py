"""Columns over tokens: one softmax beside another, or several measures of each token."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import altair as alt
import numpy as np
import numpy.typing as npt

from model.pictures.language import direction
from model.pictures.text_width import widest
from model.pictures.tokens import in_full
from ui.charts.chart import Chart, Column, design, hearing
from ui.charts.token_axis import token_axis

_LEGEND = alt.Legend(
    orient="top",
    labelLimit=400,
    columns=alt.expr("width < 420 ? 1 : 0"),  # 0: all in one row
)

_FONT = 13  # pixels
_GROUP = 0.8  # how much of a token's room its columns take


def columns(
    values: Mapping[str, npt.NDArray[np.floating]],
    *,
    labels: Sequence[str],
    label_title: str,
    value_title: str,
    limit: float = 1.0,
    height: int = 220,
) -> Chart:
    """Draw numbers as columns from zero, those of one token beside each other.

    Args:
        values: name to (S,) numbers in [0, limit]; each name has its colour.
        labels: S visible tokens.
        label_title: what a token is, for the tooltip.
        value_title: what a column is, on the axis and in the tooltip.
        limit: the upper end of the axis; 1 for weights.
        height: of the plot, in pixels.

    Raises:
        ValueError: the numbers do not fit the labels or lie outside [0, limit].
    """
    for name, row in values.items():
        if np.shape(row) != (len(labels),):
            raise ValueError(f"{name!r} has shape {np.shape(row)} for {len(labels)} labels")
        if not (np.min(row) >= 0 and np.max(row) <= limit * (1 + 1e-4)):
            raise ValueError(f"values must lie in [0, {limit}], got those of {name!r}: {row}")
    names, n = list(values), len(labels)
    width = _GROUP / len(names)
    shown: dict[str, Column] = {
        "value": np.concatenate([np.asarray(values[name], np.float64) for name in names]),
        "name": np.repeat(np.array(names, dtype=object), n),
        "label": np.tile(np.array([*map(in_full, labels)], dtype=object), len(names)),
    }
    left = np.arange(n) + (1 - _GROUP) / 2 + width * np.arange(len(names))[:, None]  # (names, S)
    return Chart(
        _design(label_title, value_title),
        height=height,
        tables={
            "columns": {
                "left": left.ravel(),
                "right": left.ravel() + width,
                **shown,
            }
        },
        values={
            "names": names,
            "labels": list(labels),
            "room": widest(labels, _FONT) + 8,
            "limit": limit,
            "from_right": direction(labels) == "rtl",
        },
        numbers={
            label_title: [*labels] * len(names),
            "columns": shown["name"],
            value_title: shown["value"],
        },
    )


@design
def _design(label_title: str, value_title: str) -> alt.Chart:
    crowded = "width / length(labels) < room"
    axis = token_axis(
        "labels",
        orient="bottom",
        labelAngle=alt.expr(f"{crowded} ? -40 : 0"),
        labelFontSize=_FONT,
    )
    axis.labelAlign = alt.expr(f"{crowded} ? 'right' : 'center'")
    across = alt.Scale(
        domain=[0, alt.expr("length(labels)")], reverse=alt.expr("from_right"), nice=False
    )
    upwards = alt.Scale(domain=[0, alt.expr("limit")], clamp=True)
    named = alt.Scale(domain=alt.expr("names"))
    chart: alt.Chart = (
        alt.Chart(alt.NamedData("columns"))
        .mark_rect()
        .encode(
            x=alt.X("left:Q", scale=across, axis=axis),
            x2="right:Q",
            y=alt.Y("value:Q", title=value_title, scale=upwards),
            y2=alt.datum(0),
            color=alt.Color("name:N", scale=named, title=None, legend=_LEGEND),
            tooltip=[
                alt.Tooltip("label:N", title=label_title),
                alt.Tooltip("name:N", title=" "),
                alt.Tooltip("value:Q", title=value_title, format=".4f"),
            ],
        )
        .add_params(hearing())
    )
    return chart
