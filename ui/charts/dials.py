"""Clocks: two hands each, before and after a turn."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import numpy as np
import numpy.typing as npt

from ui.charts.chart import Chart, design

_RADIUS, _BELOW, _LEGEND = 56, 34, 40  # pixels: of the largest dial, the text under it, the legend
_HAND = 0.06  # radians to either side of a hand's middle
_TURN = 2 * np.pi


def dials(
    before: npt.NDArray[np.floating],
    after: npt.NDArray[np.floating],
    *,
    labels: Sequence[str],
    before_title: str,
    after_title: str,
    dial_title: str,
) -> Chart:
    """Draw one dial for each angle, with a hand where it was and a hand where it is.

    Angle 0 points up and angles grow clockwise, as on a clock: the tip of a hand at angle a has
    the coordinates (sin a, cos a).

    Args:
        before: (N,) angles in radians.
        after: (N,) angles in radians; the way from one to the other is shaded.
        labels: N texts to stand below the dials.
        before_title: name of the first hands, for the legend.
        after_title: name of the second hands.
        dial_title: what a dial is, for the tooltip.

    Raises:
        ValueError: there is no dial, or not one of everything for each.
    """
    n = len(labels)
    if not n or np.shape(before) != (n,) or np.shape(after) != (n,):
        raise ValueError(f"{n} labels for angles {np.shape(before)} and {np.shape(after)}")
    names = [before_title, after_title]
    turn = np.sign(after - before) * (np.abs(after - before) % _TURN)
    return Chart(
        _design(dial_title),
        height=2 * _RADIUS + _BELOW + _LEGEND,
        tables={
            "hands": {
                "place": np.tile(np.arange(n) + 0.5, 2),
                "angle": np.concatenate([before, after]) % _TURN,
                "from": np.tile(np.asarray(before) % _TURN, 2),
                "to": np.tile(np.asarray(before) % _TURN + turn, 2),
                "hand": np.repeat(np.array(names, dtype=object), n),
                "label": np.tile(np.array(list(labels), dtype=object), 2),
            }
        },
        values={"names": names, "n": n},
        numbers={dial_title: labels, before_title: before, after_title: after},
    )


@design
def _design(dial_title: str) -> alt.LayerChart:
    across = alt.Scale(domain=[0, alt.expr("n")], nice=False)
    radius = alt.expr(f"min({_RADIUS}, width / (2.3 * n))")
    base = alt.Chart(alt.NamedData("hands")).encode(
        x=alt.X("place:Q", stack=None, scale=across, axis=None)
    )
    center = alt.value(_RADIUS + 2)
    face = base.mark_arc(
        outerRadius=radius,
        theta=0,
        theta2=_TURN,
        fill="transparent",
        stroke="currentColor",
        strokeOpacity=0.35,
    ).encode(y=center)
    way = base.mark_arc(outerRadius=radius, fillOpacity=0.1, fill="currentColor").encode(
        y=center, theta=alt.Theta("from:Q", scale=None, stack=None), theta2="to:Q"
    )
    hands = (
        base.transform_calculate(left=f"datum.angle - {_HAND}", right=f"datum.angle + {_HAND}")
        .mark_arc(outerRadius=radius)
        .encode(
            y=center,
            theta=alt.Theta("left:Q", scale=None, stack=None),
            theta2="right:Q",
            color=alt.Color(
                "hand:N",
                scale=alt.Scale(domain=alt.expr("names")),
                title=None,
                legend=alt.Legend(orient="top", labelLimit=400),
            ),
            tooltip=[
                alt.Tooltip("label:N", title=dial_title),
                alt.Tooltip("hand:N", title=" "),
                alt.Tooltip("angle:Q", title="∠", format=".3f"),
            ],
        )
    )
    text = base.mark_text(
        color="currentColor",
        fontSize=alt.expr("width / n < 60 ? 10 : 13"),
        limit=alt.expr("width / n"),
    ).encode(y=alt.value(2 * _RADIUS + _BELOW / 2), text="label:N")
    return alt.LayerChart(layer=[face, way, hands, text])
