"""A beam search as a tree, growing from left to right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt
import pandas as pd  # type: ignore[import-untyped]

_ROW, _STEP = 26, 120  # pixels of a rank and of a step
_WINNER, _KEPT, _PRUNED = "winner", "kept", "pruned"


@dataclass(frozen=True)
class Branch:
    """One candidate, with the place that it grows from.

    Args:
        step: from 1.
        rank: from 0, best first.
        parent: rank of what it continues, at the step before.
        token: visible form of what it adds.
        score: of the hypothesis.
        kind: ``"winner"``, ``"kept"`` or ``"pruned"``.
    """

    step: int
    rank: int
    parent: int
    token: str
    score: float
    kind: str


def beam_tree_chart(
    branches: Sequence[Branch], *, titles: dict[str, str], score_title: str
) -> alt.LayerChart:
    """Draw the tree; its width grows with the number of steps.

    Args:
        branches: all candidates of all steps.
        titles: what the three kinds are called.
        score_title: what the score is, for the tooltip.

    Raises:
        ValueError: there is no branch.
    """
    if not branches:
        raise ValueError("a tree needs a branch")
    table = pd.DataFrame([vars(branch) for branch in branches])
    table["from"] = table.step - 0.36
    table["start"] = table.step - 1 + 0.36
    table["name"] = table.kind.map(titles)
    steps, ranks = int(table.step.max()), int(table["rank"].max()) + 1
    x = alt.Scale(domain=[0.2, steps + 0.6], nice=False, zero=False)
    y = alt.Scale(domain=[-0.7, ranks - 0.3], reverse=True, nice=False, zero=False)
    kinds = [titles[kind] for kind in (_WINNER, _KEPT, _PRUNED)]
    colour = alt.Color("name:N", sort=kinds, title=None, legend=alt.Legend(orient="top"))
    base = alt.Chart(table)
    edges = (
        base.transform_filter("datum.step > 1")
        .mark_rule(strokeWidth=1.5)
        .encode(
            x=alt.X("start:Q", scale=x, axis=None),
            x2="from:Q",
            y=alt.Y("parent:Q", scale=y, axis=None),
            y2="rank:Q",
            color=colour,
            opacity=alt.condition(f"datum.kind == '{_PRUNED}'", alt.value(0.35), alt.value(0.9)),
        )
    )
    tokens = base.mark_text(fontSize=14).encode(
        x=alt.X("step:Q", scale=x, axis=None),
        y=alt.Y("rank:Q", scale=y, axis=None),
        text="token:N",
        color=colour,
        opacity=alt.condition(f"datum.kind == '{_PRUNED}'", alt.value(0.6), alt.value(1)),
        tooltip=[
            alt.Tooltip("token:N", title=" "),
            alt.Tooltip("score:Q", title=score_title, format=".3f"),
            alt.Tooltip("name:N", title=" "),
        ],
    )
    return alt.LayerChart(
        layer=[edges, tokens],
        width=_STEP * steps,
        height=_ROW * ranks + 20,
    )
