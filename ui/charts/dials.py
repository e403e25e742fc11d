"""Clocks: two hands each, before and after a turn."""

from collections.abc import Sequence

import altair as alt
import numpy as np

from ui.charts.chart import INK, Array, Chart, Column, design, named_colour, tooltip, up_to

_RADIUS, _BELOW, _LEGEND = 56, 34, 40  # pixels: of the largest dial, the text under it, the legend
_HAND = 0.06  # radians to either side of a hand's middle
_TURN = 2 * np.pi


def dials(
    before: Array,
    after: Array,
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
        before, after: (N,) angles in radians; the way from one to the other is shaded.
        labels: N texts to stand below the dials.
    """
    n, names = len(labels), [before_title, after_title]
    turn = np.sign(after - before) * (np.abs(after - before) % _TURN)
    hands: dict[str, Column] = {
        "place": np.tile(np.arange(n) + 0.5, 2),
        "angle": np.concatenate([before, after]) % _TURN,
        "from": np.tile(before % _TURN, 2),
        "to": np.tile(before % _TURN + turn, 2),
        "hand": np.repeat(np.array(names, dtype=object), n),
        "label": [*labels] * 2,
    }
    return Chart(
        _design(dial_title),
        height=2 * _RADIUS + _BELOW + _LEGEND,
        tables={"hands": hands},
        values={"names": names, "n": n},
        numbers={dial_title: labels, before_title: before, after_title: after},
    )


@design
def _design(dial_title: str) -> alt.LayerChart:
    center, radius = alt.value(_RADIUS + 2), alt.expr(f"min({_RADIUS}, width / (2.3 * n))")
    base = alt.Chart(alt.NamedData("hands")).encode(
        x=alt.X("place:Q", stack=None, scale=up_to("n"), axis=None)
    )
    face = base.mark_arc(
        outerRadius=radius,
        theta=0,
        theta2=_TURN,
        fill="transparent",
        stroke=INK,
        strokeOpacity=0.35,
    )
    way = base.mark_arc(outerRadius=radius, fillOpacity=0.1, fill=INK).encode(
        theta=alt.Theta("from:Q", scale=None, stack=None), theta2="to:Q"
    )
    hands = (
        base.transform_calculate(left=f"datum.angle - {_HAND}", right=f"datum.angle + {_HAND}")
        .mark_arc(outerRadius=radius)
        .encode(
            theta=alt.Theta("left:Q", scale=None, stack=None),
            theta2="right:Q",
            color=named_colour("hand:N", "names", alt.Legend(orient="top", labelLimit=400)),
            tooltip=tooltip(("label:N", dial_title), ("hand:N", " "), ("angle:Q", "∠", ".3f")),
        )
    )
    size = alt.expr("width / n < 60 ? 10 : 13")
    text = base.mark_text(color=INK, fontSize=size, limit=alt.expr("width / n")).encode(
        y=alt.value(2 * _RADIUS + _BELOW / 2), text="label:N"
    )
    return alt.LayerChart(layer=[*(layer.encode(y=center) for layer in (face, way, hands)), text])
