"""Bar charts: vertical columns over tokens, and horizontal bars for a few named numbers."""

from collections.abc import Mapping, Sequence

import altair as alt
import numpy as np

from model.pictures.text import direction, max_text_width
from model.pictures.tokens import in_full
from ui.charts.chart import (
    INK,
    Array,
    Chart,
    Column,
    design,
    legend_above,
    named_colour,
    pointer_selection,
    scale_from_zero,
    token_axis,
    tooltip,
)

_FONT = 13  # pixels
_COLUMNS_SHARE = 0.8  # share of a token's width that its columns take
_SLANTED_ROOM = 22  # pixels from one slanted label to the next
_NUMBERS = 5  # about as many numbers at the vertical axis
_MAX_BAR_NAME = 180  # pixels of the name of a bar; a longer name ends in an ellipsis
_BAR_HEIGHT = 40  # pixels, with the gap to the next bar
_AXIS_HEIGHT = 60  # pixels below the bars
_AXIS_STRETCH = 1.18  # the axis of bars ends after the longest one, to leave room for its number


def columns(
    values: Mapping[str, Array],
    *,
    labels: Sequence[str],
    label_title: str,
    value_title: str,
    limit: float = 1.0,
    height: int = 220,
) -> Chart:
    """Draw numbers as columns from zero. The columns of one token are side by side.

    Args:
        values: name to (S,) numbers in [0, limit]; each name has its colour.
        labels: S visible tokens.
        label_title: what a label is, such as "key", for the tooltip and for saved files.
        value_title: what a number is, for the vertical axis.
        limit: the least upper end of the axis, which ends at a round number; 1 for weights.
        height: of the whole chart, in pixels.

    Raises:
        ValueError: the numbers do not fit the labels or lie outside [0, limit].
    """
    for name, row in values.items():
        if np.shape(row) != (len(labels),):
            raise ValueError(f"{name!r} has shape {np.shape(row)} for {len(labels)} labels")
        if not (np.min(row) >= 0 and np.max(row) <= limit * (1 + 1e-4)):
            raise ValueError(f"values must lie in [0, {limit}], got those of {name!r}: {row}")

    # 1. Give label n the space from n to n + 1, and put its columns, one per name, in the middle
    names = list(values)
    width = _COLUMNS_SHARE / len(names)
    first_left = np.arange(len(labels)) + (1 - _COLUMNS_SHARE) / 2  # (S,)
    left = (first_left + width * np.arange(len(names))[:, None]).ravel()  # (names * S,)

    # 2. Make one row of the table for each column
    value = np.concatenate([np.asarray(row, np.float64) for row in values.values()])
    name_of_row = np.repeat(np.array(names, dtype=object), len(labels))
    table: dict[str, Column] = {
        "left": left,
        "right": left + width,
        "value": value,
        "name": name_of_row,
        "label": [in_full(label) for label in labels] * len(names),
    }
    return Chart(
        _columns(label_title, value_title),
        height=height,
        tables={"columns": table},
        values={
            "names": names,
            "labels": list(labels),
            "room": max_text_width(labels, _FONT) + 8,  # pixels that a horizontal label needs
            "limit": limit,
            "from_right": direction(labels) == "rtl",
        },
        numbers={
            label_title: list(labels) * len(names),
            "columns": name_of_row,
            value_title: value,
        },
    )


@design
def _columns(label_title: str, value_title: str) -> alt.Chart:
    """Return the design of ``columns``. It refers to the numbers by name."""
    # 1. Rotate the labels if they do not fit side by side, until their lines do not overlap
    is_crowded = "width / length(labels) < room"
    is_upright = f"width / length(labels) < {_SLANTED_ROOM}"
    x_axis = token_axis(
        "labels",
        orient="bottom",
        labelAngle=alt.expr(f"{is_upright} ? -90 : {is_crowded} ? -40 : 0"),
        labelAlign=alt.expr(f"{is_upright} || {is_crowded} ? 'right' : 'center'"),
        labelBaseline=alt.expr(f"{is_upright} ? 'middle' : 'top'"),
        labelFontSize=_FONT,
    )
    x_scale = scale_from_zero("length(labels)", reverse=alt.expr("from_right"))
    # Both count the same numbers, so that the last one is at the end of the axis
    y_scale = alt.Scale(domain=[0, alt.expr("limit")], clamp=True, nice=_NUMBERS)
    y_axis = alt.Axis(tickCount=_NUMBERS)

    # 2. On a phone, put each name of the legend on a separate line; 0 means one line for all names
    legend_columns = alt.expr("width < 420 ? 1 : 0")
    legend = legend_above(labelLimit=400, columns=legend_columns)

    chart: alt.Chart = alt.Chart(alt.NamedData("columns")).mark_rect()
    return chart.encode(
        x=alt.X("left:Q", scale=x_scale, axis=x_axis),
        x2="right:Q",
        y=alt.Y("value:Q", title=value_title, scale=y_scale, axis=y_axis),
        y2=alt.datum(0),
        color=named_colour("name:N", "names", legend),
        tooltip=tooltip(("label:N", label_title), ("name:N", " "), ("value:Q", value_title, ".4f")),
    ).add_params(pointer_selection())


def bars(values: Mapping[str, float], *, title: str, number_format: str = ".3~f") -> Chart:
    """Draw horizontal bars from top to bottom, each with its number beside it.

    Args:
        values: name to a finite number, 0 or above.
        title: what the numbers are, with their unit.
        number_format: of the numbers beside the bars, in the letters of d3-format.

    Raises:
        ValueError: there is no bar, or a number is below 0 or not finite.
    """
    names = list(values)
    numbers = np.array(list(values.values()), dtype=np.float64)
    if not numbers.size or not (np.isfinite(numbers) & (numbers >= 0)).all():
        raise ValueError(f"bars are finite and not negative, got {dict(values)}")

    row = np.arange(len(names))
    table: dict[str, Column] = {
        "top": row + 0.15,
        "middle": row + 0.5,
        "bottom": row + 0.85,
        "value": numbers,
        "name": names,
    }
    return Chart(
        _bars(title, number_format),
        height=len(names) * _BAR_HEIGHT + _AXIS_HEIGHT,
        tables={"bars": table},
        values={"names": names, "end": max(_AXIS_STRETCH * float(numbers.max()), 1e-9)},
        numbers={"bar": names, title: numbers},
    )


@design
def _bars(title: str, number_format: str) -> alt.LayerChart:
    """Return the design of ``bars``. It refers to the numbers by name."""
    y_scale = scale_from_zero("length(names)", reverse=True)
    y_axis = token_axis("names", orient="left", labelFontSize=_FONT, labelLimit=_MAX_BAR_NAME)
    base = alt.Chart(alt.NamedData("bars")).encode(
        x=alt.X("value:Q", title=title, scale=scale_from_zero("end")),
        tooltip=tooltip(("name:N", " "), ("value:Q", title, number_format)),
    )
    drawn_bars = base.mark_rect().encode(
        x2=alt.datum(0),
        y=alt.Y("top:Q", scale=y_scale, axis=y_axis),
        y2="bottom:Q",
    )
    numbers = base.mark_text(align="left", dx=6, fontSize=_FONT, color=INK).encode(
        y=alt.Y("middle:Q", scale=y_scale, axis=y_axis),
        text=alt.Text("value:Q", format=number_format),
    )
    return alt.LayerChart(layer=[drawn_bars, numbers])
