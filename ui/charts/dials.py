"""Draw dials like clocks, each with two hands: before and after a rotation."""

from collections.abc import Sequence

import altair as alt
import numpy as np

from ui.charts.chart import (
    INK,
    Array,
    Chart,
    Column,
    design,
    legend_above,
    named_colour,
    scale_from_zero,
    tooltip,
)

_MAX_RADIUS = 56  # pixels
_LABEL_HEIGHT = 34  # pixels below the dials
_LEGEND_HEIGHT = 40  # pixels above the dials
_HALF_HAND = 0.06  # half the width of a hand, in radians
_FULL_TURN = 2 * np.pi


def dials(
    before: Array,
    after: Array,
    *,
    labels: Sequence[str],
    before_title: str,
    after_title: str,
    dial_title: str,
) -> Chart:
    """Draw one dial for each pair of angles, with a hand before and a hand after the rotation.

    Angle 0 points up and angles grow clockwise, as on a clock: the tip of a hand at angle a has
    the coordinates (sin a, cos a). The turn from one hand to the other is shaded.

    Args:
        before: (N,) angles before the turn, in radians.
        after: (N,) angles after the turn, in radians.
        labels: N texts below the dials.
        before_title: the name of the first hand in the legend.
        after_title: the name of the second hand in the legend.
        dial_title: what a label is, for the tooltip and for saved files.
    """
    n = len(labels)
    hand_names = [before_title, after_title]
    # Whole turns are left out, because they do not change what a dial shows.
    turn = np.sign(after - before) * (np.abs(after - before) % _FULL_TURN)
    table: dict[str, Column] = {  # one row for each hand; hands before the rotation first
        "place": np.tile(np.arange(n) + 0.5, 2),
        "angle": np.concatenate([before, after]) % _FULL_TURN,
        "from": np.tile(before % _FULL_TURN, 2),
        "to": np.tile(before % _FULL_TURN + turn, 2),
        "hand": np.repeat(np.array(hand_names, dtype=object), n),
        "label": list(labels) * 2,
    }
    return Chart(
        _design(dial_title),
        height=2 * _MAX_RADIUS + _LABEL_HEIGHT + _LEGEND_HEIGHT,
        tables={"hands": table},
        values={"names": hand_names, "n": n},
        numbers={dial_title: labels, before_title: before, after_title: after},
    )


@design
def _design(dial_title: str) -> alt.LayerChart:
    """Return the design of ``dials``. It refers to the angles by name."""
    middle = alt.value(_MAX_RADIUS + 2)
    radius = alt.expr(f"min({_MAX_RADIUS}, width / (2.3 * n))")
    base = alt.Chart(alt.NamedData("hands")).encode(
        x=alt.X("place:Q", stack=None, scale=scale_from_zero("n"), axis=None)
    )
    once = base.transform_filter("datum.hand === names[0]")  # each dial has two rows
    face = once.mark_arc(
        outerRadius=radius,
        theta=0,
        theta2=_FULL_TURN,
        fill="transparent",
        stroke=INK,
        strokeOpacity=0.35,
    )
    turn = once.mark_arc(outerRadius=radius, fillOpacity=0.19, fill=INK).encode(
        theta=alt.Theta("from:Q", scale=None, stack=None),
        theta2="to:Q",
    )
    hands = (
        base.transform_calculate(
            left=f"datum.angle - {_HALF_HAND}", right=f"datum.angle + {_HALF_HAND}"
        )
        .mark_arc(outerRadius=radius)
        .encode(
            theta=alt.Theta("left:Q", scale=None, stack=None),
            theta2="right:Q",
            color=named_colour("hand:N", "names", legend_above(labelLimit=400)),
            tooltip=tooltip(("label:N", dial_title), ("hand:N", " "), ("angle:Q", "∠", ".3f")),
        )
    )
    labels = once.mark_text(
        color=INK,
        fontSize=alt.expr("width / n < 60 ? 10 : 13"),
        limit=alt.expr("width / n"),
    ).encode(y=alt.value(2 * _MAX_RADIUS + _LABEL_HEIGHT / 2), text="label:N")
    return alt.LayerChart(
        layer=[face.encode(y=middle), turn.encode(y=middle), hands.encode(y=middle), labels]
    )
