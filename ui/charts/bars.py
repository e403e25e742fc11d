"""A few named numbers as bars, each with its number written beside it."""

from __future__ import annotations

from collections.abc import Mapping

import altair as alt
import numpy as np

from ui.charts.chart import Chart, design
from ui.charts.token_axis import token_axis

_ROW, _BELOW = 40, 60  # pixels of a bar; of the axis below
_ROOM = 1.18  # of the longest bar, so that its number has a place


def bars(values: Mapping[str, float], *, title: str, number: str = ".3~f") -> Chart:
    """Draw bars from zero to the right, the first name at the top.

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
    names, n = list(values), len(values)
    return Chart(
        _design(title, number),
        height=n * _ROW + _BELOW,
        tables={
            "bars": {
                "top": np.arange(n) + 0.15,
                "middle": np.arange(n) + 0.5,
                "bottom": np.arange(n) + 0.85,
                "value": numbers,
                "name": names,
            }
        },
        values={"names": names, "end": max(_ROOM * float(numbers.max()), 1e-9)},
        numbers={"bar": names, title: numbers},
    )


@design
def _design(title: str, number: str) -> alt.LayerChart:
    rows = alt.Scale(domain=[0, alt.expr("length(names)")], reverse=True, nice=False, zero=False)
    across = alt.Scale(domain=[0, alt.expr("end")], nice=False)
    axis = token_axis("names", orient="left", labelFontSize=13)
    base = alt.Chart(alt.NamedData("bars")).encode(
        x=alt.X("value:Q", title=title, scale=across),
        tooltip=[
            alt.Tooltip("name:N", title=" "),
            alt.Tooltip("value:Q", title=title, format=number),
        ],
    )
    drawn = base.mark_rect().encode(
        x2=alt.datum(0), y=alt.Y("top:Q", scale=rows, axis=axis), y2="bottom:Q"
    )
    written = base.mark_text(align="left", dx=6, fontSize=13, color="currentColor").encode(
        y=alt.Y("middle:Q", scale=rows, axis=axis), text=alt.Text("value:Q", format=number)
    )
    return alt.LayerChart(layer=[drawn, written])
