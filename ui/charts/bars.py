"""A few named numbers as bars, each with its number written beside it."""

from __future__ import annotations

from collections.abc import Mapping

import altair as alt
import numpy as np
import pandas as pd  # type: ignore[import-untyped]

from ui.charts.token_axis import token_axis

_ROW, _BELOW = 40, 60  # pixels of a bar; of the axis below
_ROOM = 1.18  # of the longest bar, so that its number has a place


def bars(values: Mapping[str, float], *, title: str, number: str = ".3~f") -> alt.LayerChart:
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
    table = pd.DataFrame(
        {
            "top": np.arange(n) + 0.15,
            "middle": np.arange(n) + 0.5,
            "bottom": np.arange(n) + 0.85,
            "value": numbers,
            "name": np.array(names, dtype=object),
        }
    )
    rows = alt.Scale(domain=[0, n], reverse=True, nice=False, zero=False)
    base = alt.Chart(table).encode(
        x=alt.X(
            "value:Q",
            title=title,
            scale=alt.Scale(domain=[0, max(_ROOM * float(numbers.max()), 1e-9)], nice=False),
        ),
        tooltip=[
            alt.Tooltip("name:N", title=" "),
            alt.Tooltip("value:Q", title=title, format=number),
        ],
    )
    axis = token_axis(names, orient="left", labelFontSize=13)
    drawn = base.mark_rect().encode(
        x2=alt.datum(0), y=alt.Y("top:Q", scale=rows, axis=axis), y2="bottom:Q"
    )
    written = base.mark_text(align="left", dx=6, fontSize=13, color="currentColor").encode(
        y=alt.Y("middle:Q", scale=rows, axis=axis), text=alt.Text("value:Q", format=number)
    )
    return alt.LayerChart(layer=[drawn, written], width="container", height=n * _ROW + _BELOW)
