"""Draw a beam search as a tree that grows in the direction of its text."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import altair as alt
import numpy as np

from model.pictures.text import direction, max_text_width
from ui.charts.chart import Chart, Column, design, legend_above, tooltip

_RANK_HEIGHT = 30  # pixels
_PRESENTED_RANK = 56  # pixels: on a projector the width limits the tree, and its height is free
_MARGIN = 20  # pixels above the first rank and below the last one, together
_FONT = 15  # pixels, of a token
_TOKEN_PADDING = 6  # pixels to the left and right of a token, together
_LINE_WIDTH = 24  # pixels between the tokens of two steps
_WINNER = "winner"
_KEPT = "kept"
_PRUNED = "pruned"
# Names without a branch: they take the colours before the last one, a grey that can be read.
_UNUSED = ("3", "4", "5", "6", "7")


class Branch(NamedTuple):
    """One candidate token of a beam search, and the hypothesis that it extends."""

    step: int  # from 1
    rank: int  # from 0, best first
    parent: int  # rank of the hypothesis that it continues, at the previous step
    token: str  # visible form of the token that it adds
    score: float  # of the hypothesis
    kind: str  # "winner", "kept" or "pruned"


def beam_tree_chart(
    branches: Sequence[Branch],
    *,
    titles: dict[str, str],
    score_title: str,
    is_presented: bool = False,
) -> Chart:
    """Draw the tree. Each step is as wide as its longest token.

    Args:
        branches: all candidates of all steps, at least one.
        titles: kind of branch ("winner", "kept", "pruned") to its name in the legend.
        score_title: the name of the score, for the tooltip.
        is_presented: whether the tree is higher, to fill a projector's screen.
    """
    step = np.array([branch.step for branch in branches])
    rank = np.array([branch.rank for branch in branches])
    parent = np.array([branch.parent for branch in branches])
    tokens = [branch.token for branch in branches]
    scores = tuple(branch.score for branch in branches)
    kinds = tuple(branch.kind for branch in branches)
    n_ranks = int(rank.max()) + 1

    # 1. Place the steps beside each other, with room for lines between them, in pixels
    widths = []
    for n in range(1, int(step.max()) + 1):
        of_step = [branch.token for branch in branches if branch.step == n]
        widths.append(math.ceil(max_text_width(of_step, _FONT)) + _TOKEN_PADDING)
    ends = np.cumsum(widths) + _LINE_WIDTH * np.arange(len(widths))
    begins = ends - widths

    # 2. Draw the branches at the places of their steps
    table: dict[str, Column] = {
        "step": step,
        "rank": rank,
        "parent": parent,
        "token": tokens,
        "score": scores,
        "kind": kinds,
        "name": [titles[kind] for kind in kinds],
        "middle": ((begins + ends) / 2)[step - 1],
        "start": begins[step - 1] - _LINE_WIDTH,  # start of the line that leads to the token
        "from": begins[step - 1],  # end of that line
    }
    return Chart(
        _design(titles[_WINNER], titles[_KEPT], titles[_PRUNED], score_title),
        width=int(ends[-1]),
        height=n_ranks * (_PRESENTED_RANK if is_presented else _RANK_HEIGHT) + _MARGIN,
        tables={"branches": table},
        values={
            "ranks": n_ranks,
            "from_right": direction(tokens) == "rtl",
        },
        numbers={
            "step": step,
            "rank": rank + 1,
            "continues_rank": parent + 1,
            "token": tokens,
            "score": scores,
            "kind": kinds,
        },
    )


@design
def _design(winner: str, continued: str, pruned: str, score_title: str) -> alt.LayerChart:
    """Return the design of the tree. It refers to the numbers by name.

    Args:
        winner: the legend of the branch that became the translation.
        continued: the legend of the branches that the search continued.
        pruned: the legend of the branches that it gave up.
        score_title: what a score is called.
    """
    # 1. Axes: pixels horizontally in the direction of the text, ranks vertically
    x_scale = alt.Scale(domain=[0, alt.expr("width")], reverse=alt.expr("from_right"), nice=False)
    y_scale = alt.Scale(domain=[-0.7, alt.expr("ranks - 0.3")], reverse=True, nice=False)

    # 2. A colour for each kind of branch, grey for pruned branches
    scale = alt.Scale(domain=[winner, continued, *_UNUSED, pruned])
    legend = legend_above(values=[winner, continued, pruned])
    colour = alt.Color("name:N", scale=scale, title=None, legend=legend)
    is_pruned = f"datum.kind == '{_PRUNED}'"
    base = alt.Chart(alt.NamedData("branches")).encode(color=colour)

    # 3. The tokens, and a line from each token to its predecessor
    lines = (
        base.transform_filter("datum.step > 1")
        .mark_rule(strokeWidth=1.5)
        .encode(
            x=alt.X("start:Q", scale=x_scale, axis=None),
            x2="from:Q",
            y=alt.Y("parent:Q", scale=y_scale, axis=None),
            y2="rank:Q",
            opacity=alt.condition(is_pruned, alt.value(0.35), alt.value(0.9)),
        )
    )
    tokens = base.mark_text(fontSize=_FONT).encode(
        x=alt.X("middle:Q", scale=x_scale, axis=None),
        y=alt.Y("rank:Q", scale=y_scale, axis=None),
        text="token:N",
        tooltip=tooltip(("token:N", " "), ("score:Q", score_title, ".3f"), ("name:N", " ")),
    )
    return alt.LayerChart(layer=[lines, tokens])
