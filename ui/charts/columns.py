"""Columns over tokens, and a few named numbers as bars."""

from collections.abc import Mapping, Sequence

import altair as alt
import numpy as np

from model.pictures.text import direction, widest
from model.pictures.tokens import in_full
from ui.charts.chart import (
    INK,
    Array,
    Chart,
    Column,
    design,
    hearing,
    named_colour,
    token_axis,
    tooltip,
    up_to,
)

_FONT = 13  # pixels
_GROUP = 0.8  # how much of a token's room its columns take
_ROW, _BELOW = 40, 60  # pixels of a bar; of the axis below
_ROOM = 1.18  # of the longest bar, so that its number has a place


def columns(
    values: Mapping[str, Array],
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
        limit: the upper end of the axis; 1 for weights.

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
    left = np.arange(n) + (1 - _GROUP) / 2 + width * np.arange(len(names))[:, None]  # (names, S)
    value = np.concatenate([np.asarray(row, np.float64) for row in values.values()])
    name_of = np.repeat(np.array(names, dtype=object), n)
    drawn: dict[str, Column] = {
        "left": left.ravel(),
        "right": left.ravel() + width,
        "value": value,
        "name": name_of,
        "label": [*map(in_full, labels)] * len(names),
    }
    return Chart(
        _columns(label_title, value_title),
        height=height,
        tables={"columns": drawn},
        values={
            "names": names,
            "labels": list(labels),
            "room": widest(labels, _FONT) + 8,
            "limit": limit,
            "from_right": direction(labels) == "rtl",
        },
        numbers={label_title: [*labels] * len(names), "columns": name_of, value_title: value},
    )


@design
def _columns(label_title: str, value_title: str) -> alt.Chart:
    crowded = "width / length(labels) < room"
    angle = alt.expr(f"{crowded} ? -40 : 0")
    axis = token_axis("labels", orient="bottom", labelAngle=angle, labelFontSize=_FONT)
    axis.labelAlign = alt.expr(f"{crowded} ? 'right' : 'center'")
    across = up_to("length(labels)", reverse=alt.expr("from_right"))
    upwards = alt.Scale(domain=[0, alt.expr("limit")], clamp=True)
    in_one_row = alt.expr("width < 420 ? 1 : 0")  # 0: as many columns as there are names
    legend = alt.Legend(orient="top", labelLimit=400, columns=in_one_row)
    chart: alt.Chart = alt.Chart(alt.NamedData("columns")).mark_rect()
    return chart.encode(
        x=alt.X("left:Q", scale=across, axis=axis),
        x2="right:Q",
        y=alt.Y("value:Q", title=value_title, scale=upwards),
        y2=alt.datum(0),
        color=named_colour("name:N", "names", legend),
        tooltip=tooltip(("label:N", label_title), ("name:N", " "), ("value:Q", value_title, ".4f")),
    ).add_params(hearing())


def bars(values: Mapping[str, float], *, title: str, number: str = ".3~f") -> Chart:
    """Draw bars from zero to the right, the first name at the top, each with its number beside it.

    Args:
        values: name to a finite number, 0 or above.
        title: what the numbers are, with their unit.
        number: how they are written, in the letters of d3-format.

    Raises:
        ValueError: there is no bar, or a number is below 0 or not finite.
    """
    numbers = np.array(list(values.values()), dtype=np.float64)
    if not numbers.size or not (np.isfinite(numbers) & (numbers >= 0)).all():
        raise ValueError(f"bars are finite and not negative, got {dict(values)}")
    names, row = list(values), np.arange(len(values))
    sides = {"top": row + 0.15, "middle": row + 0.5, "bottom": row + 0.85}
    return Chart(
        _bars(title, number),
        height=len(names) * _ROW + _BELOW,
        tables={"bars": {**sides, "value": numbers, "name": names}},
        values={"names": names, "end": max(_ROOM * float(numbers.max()), 1e-9)},
        numbers={"bar": names, title: numbers},
    )


@design
def _bars(title: str, number: str) -> alt.LayerChart:
    rows = up_to("length(names)", reverse=True, zero=False)
    axis = token_axis("names", orient="left", labelFontSize=_FONT)
    base = alt.Chart(alt.NamedData("bars")).encode(
        x=alt.X("value:Q", title=title, scale=up_to("end")),
        tooltip=tooltip(("name:N", " "), ("value:Q", title, number)),
    )
    drawn = base.mark_rect().encode(
        x2=alt.datum(0), y=alt.Y("top:Q", scale=rows, axis=axis), y2="bottom:Q"
    )
    written = base.mark_text(align="left", dx=6, fontSize=_FONT, color=INK).encode(
        y=alt.Y("middle:Q", scale=rows, axis=axis), text=alt.Text("value:Q", format=number)
    )
    return alt.LayerChart(layer=[drawn, written])
