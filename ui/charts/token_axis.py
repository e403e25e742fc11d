"""An axis on which tokens label positions, so that equal tokens never merge."""

from __future__ import annotations

from typing import Any

import altair as alt

LONGEST_LABEL = 140  # pixels; what is longer ends in an ellipsis, and is whole in the tooltip
_INK = "currentColor"  # the page's text colour, light or dark


def token_axis(labels: str, **options: Any) -> alt.Axis:
    """Label n stands in the middle between n and n + 1.

    Args:
        labels: the name under which the chart is given the labels, visible texts in any writing.
        options: of ``altair.Axis``.
    """
    return alt.Axis(
        values=alt.expr(f"sequence(0.5, length({labels}))"),
        tickCount=alt.expr(f"length({labels})"),  # else Vega leaves out every other one
        labelExpr=f"{labels}[floor(datum.value)]",
        labelOverlap=False,
        labelLimit=LONGEST_LABEL,
        labelColor=_INK,
        labelPadding=6,
        title=None,
        grid=False,
        ticks=False,
        domain=False,
        **options,
    )
