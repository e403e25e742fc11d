"""An axis on which tokens label positions, so that equal tokens never merge."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import altair as alt

LONGEST_LABEL = 140  # pixels; what is longer ends in an ellipsis, and is whole in the tooltip
_INK = "currentColor"  # the page's text colour, light or dark


def token_axis(labels: Sequence[str], **options: Any) -> alt.Axis:
    """Label n of ``labels`` stands in the middle between n and n + 1.

    Args:
        labels: visible texts, in any writing.
        options: of ``altair.Axis``.
    """
    # JSON with every non-ASCII character escaped is also a literal of the expression language:
    # a token can hold anything and stays text.
    names = json.dumps(list(labels), ensure_ascii=True)
    return alt.Axis(
        values=[position + 0.5 for position in range(len(labels))],
        labelExpr=f"{names}[floor(datum.value)]",
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
