"""A beam search as a tree, growing in the direction of its text."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import altair as alt
import numpy as np

from model.pictures.text import direction, widest
from ui.charts.chart import Chart, Column, design, tooltip

_ROW = 26  # pixels of a rank
_FONT, _LEAST, _AIR = 14, 72, 10  # pixels: a token's letters, a step at least, round a token
_HALF = 0.36  # of a step, that a token and the room round it take to either side
_WINNER, _KEPT, _PRUNED = "winner", "kept", "pruned"


class Branch(NamedTuple):
    """One candidate, with the place that it grows from."""

    step: int  # from 1
    rank: int  # from 0, best first
    parent: int  # rank of what it continues, at the step before
    token: str  # visible form of what it adds
    score: float  # of the hypothesis
    kind: str  # "winner", "kept" or "pruned"


def beam_tree_chart(
    branches: Sequence[Branch], *, titles: dict[str, str], score_title: str
) -> Chart:
    """Draw the tree; its width grows with the number of steps and with the longest token.

    Args:
        branches: all candidates of all steps, at least one.
        titles: what the three kinds are called.
    """
    columns = dict(zip(Branch._fields, zip(*branches, strict=True), strict=True))
    step, rank, parent = (np.array(columns[name]) for name in ("step", "rank", "parent"))
    steps, ranks = int(step.max()), int(rank.max()) + 1
    room = widest(columns["token"], _FONT) + _AIR
    from_right = direction(columns["token"]) == "rtl"
    drawn: dict[str, Column] = {
        "start": step - 1 + _HALF,
        "from": step - _HALF,
        "name": [titles[kind] for kind in columns["kind"]],
    }
    return Chart(
        _design(titles[_WINNER], titles[_KEPT], titles[_PRUNED], score_title),
        width=steps * max(_LEAST, math.ceil(room / (2 * _HALF))),
        height=_ROW * ranks + 20,
        tables={"branches": columns | drawn},
        values={"steps": steps, "ranks": ranks, "from_right": from_right},
        numbers={
            "step": step,
            "rank": rank + 1,
            "continues_rank": parent + 1,
            **{name: columns[name] for name in ("token", "score", "kind")},
        },
    )


@design
def _design(winner: str, kept: str, pruned: str, score_title: str) -> alt.LayerChart:
    end, from_right = alt.expr("steps + 0.6"), alt.expr("from_right")
    x = alt.Scale(domain=[0.2, end], reverse=from_right, nice=False, zero=False)
    y = alt.Scale(domain=[-0.7, alt.expr("ranks - 0.3")], reverse=True, nice=False, zero=False)
    legend = alt.Legend(orient="top")
    colour = alt.Color("name:N", sort=[winner, kept, pruned], title=None, legend=legend)
    is_pruned = f"datum.kind == '{_PRUNED}'"
    base = alt.Chart(alt.NamedData("branches")).encode(color=colour)
    edges = base.transform_filter("datum.step > 1").mark_rule(strokeWidth=1.5)
    edges = edges.encode(
        x=alt.X("start:Q", scale=x, axis=None),
        x2="from:Q",
        y=alt.Y("parent:Q", scale=y, axis=None),
        y2="rank:Q",
        opacity=alt.condition(is_pruned, alt.value(0.35), alt.value(0.9)),
    )
    tokens = base.mark_text(fontSize=_FONT).encode(
        x=alt.X("step:Q", scale=x, axis=None),
        y=alt.Y("rank:Q", scale=y, axis=None),
        text="token:N",
        opacity=alt.condition(is_pruned, alt.value(0.6), alt.value(1)),
        tooltip=tooltip(("token:N", " "), ("score:Q", score_title, ".3f"), ("name:N", " ")),
    )
    return alt.LayerChart(layer=[edges, tokens])
