"""A beam search as a tree, growing in the direction of its text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt

from model.pictures.language import direction
from model.pictures.text_width import widest
from ui.charts.chart import Chart, design

_ROW = 26  # pixels of a rank
_FONT, _LEAST, _AIR = 14, 72, 10  # pixels: a token's letters, a step at least, round a token
_HALF = 0.36  # of a step, that a token and the room round it take to either side
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
) -> Chart:
    """Draw the tree; its width grows with the number of steps and with the longest token.

    Args:
        branches: all candidates of all steps.
        titles: what the three kinds are called.
        score_title: what the score is, for the tooltip.

    Raises:
        ValueError: there is no branch.
    """
    if not branches:
        raise ValueError("a tree needs a branch")
    steps = max(branch.step for branch in branches)
    ranks = max(branch.rank for branch in branches) + 1
    room = widest([branch.token for branch in branches], _FONT) + _AIR
    step = max(_LEAST, math.ceil(room / (2 * _HALF)))
    return Chart(
        _design(titles[_WINNER], titles[_KEPT], titles[_PRUNED], score_title),
        width=step * steps,
        height=_ROW * ranks + 20,
        tables={
            "branches": {
                "step": [b.step for b in branches],
                "rank": [b.rank for b in branches],
                "parent": [b.parent for b in branches],
                "start": [b.step - 1 + _HALF for b in branches],
                "from": [b.step - _HALF for b in branches],
                "token": [b.token for b in branches],
                "score": [b.score for b in branches],
                "kind": [b.kind for b in branches],
                "name": [titles[b.kind] for b in branches],
            }
        },
        values={
            "steps": steps,
            "ranks": ranks,
            "from_right": direction(branch.token for branch in branches) == "rtl",
        },
        numbers={
            "step": [b.step for b in branches],
            "rank": [b.rank + 1 for b in branches],
            "continues_rank": [b.parent + 1 for b in branches],
            "token": [b.token for b in branches],
            "score": [b.score for b in branches],
            "kind": [b.kind for b in branches],
        },
    )


@design
def _design(winner: str, kept: str, pruned: str, score_title: str) -> alt.LayerChart:
    end, from_right = alt.expr("steps + 0.6"), alt.expr("from_right")
    x = alt.Scale(domain=[0.2, end], reverse=from_right, nice=False, zero=False)
    y = alt.Scale(domain=[-0.7, alt.expr("ranks - 0.3")], reverse=True, nice=False, zero=False)
    colour = alt.Color(
        "name:N", sort=[winner, kept, pruned], title=None, legend=alt.Legend(orient="top")
    )
    base = alt.Chart(alt.NamedData("branches"))
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
    tokens = base.mark_text(fontSize=_FONT).encode(
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
    return alt.LayerChart(layer=[edges, tokens])
