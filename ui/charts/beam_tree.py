"""Draw a beam search as a tree that grows in the direction of its text."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import altair as alt
import numpy as np

from model.pictures.text import direction, max_text_width
from ui.charts.chart import Chart, Column, design, legend_above, tooltip

_RANK_HEIGHT = 34  # pixels
# Pixels of a rank on a projector, and the width of the tree divided by its height: the screen's
_PRESENTED_RANK = (34, 56)
_PRESENTED_SHAPE = 1.9
_MARGIN = 20  # pixels above the first rank and below the last one, together
_FONT = 15  # pixels, of a token
_LINE_WIDTH = 24  # pixels between the longest token of a step and the tokens of the next
_GAP = 4  # pixels between a token and a line
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
    note: str = ""  # written after the token: the score of a finished hypothesis

    @property
    def text(self) -> str:
        """What the tree shows: the token and its note."""
        return f"{self.token} {self.note}".rstrip()


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
    tokens = [branch.token for branch in branches]
    scores = tuple(branch.score for branch in branches)
    kinds = tuple(branch.kind for branch in branches)
    n_ranks = int(rank.max()) + 1

    # 1. Place the steps beside each other, with room for lines between them, in pixels
    widths = {
        (branch.step, branch.rank): max_text_width([branch.text], _FONT) for branch in branches
    }
    begins = [0]  # of the tokens of each step, and where another step would begin
    for n in range(1, int(step.max()) + 1):
        widest = max(width for (of_step, _), width in widths.items() if of_step == n)
        begins.append(begins[-1] + math.ceil(widest) + _LINE_WIDTH)

    # 2. Draw the lines, those of the best hypotheses last, over the others. A line leads from the
    #    end of the token before to a lane between the steps, in it to the rank of its token, and on
    #    to this token. Each token has a lane of its own, so that nobody confuses their lines.
    lines = sorted((branch for branch in branches if branch.step > 1), key=lambda b: -b.rank)
    lanes = _lanes(lines)
    line_table: dict[str, Column] = {
        "parent": [line.parent for line in lines],
        "rank": [line.rank for line in lines],
        "kind": [line.kind for line in lines],
        "name": [titles[line.kind] for line in lines],
        "start": [
            begins[line.step - 2] + widths[line.step - 1, line.parent] + _GAP for line in lines
        ],
        "lane": [
            begins[line.step - 1] - _LINE_WIDTH * (1 - lanes[line.step, line.parent])
            for line in lines
        ],
        "end": [begins[line.step - 1] - _GAP for line in lines],
    }

    # 3. Draw the tokens at the places of their steps
    token_table: dict[str, Column] = {
        "step": step,
        "rank": rank,
        "token": tokens,
        "text": [branch.text for branch in branches],
        "score": scores,
        "kind": kinds,
        "name": [titles[kind] for kind in kinds],
        "begin": np.array(begins)[step - 1],
    }
    width = begins[-1] - _LINE_WIDTH + _GAP  # letters may be a little wider than measured
    rank_height = _RANK_HEIGHT
    if is_presented:
        lowest, highest = _PRESENTED_RANK
        rank_height = max(lowest, min(highest, round(width / _PRESENTED_SHAPE / n_ranks)))
    return Chart(
        _design(titles[_WINNER], titles[_KEPT], titles[_PRUNED], score_title),
        width=width,
        height=n_ranks * rank_height + _MARGIN,
        tables={"branches": token_table, "lines": line_table},
        values={
            "ranks": n_ranks,
            "from_right": direction(tokens) == "rtl",
        },
        numbers={
            "step": step,
            "rank": rank + 1,
            "continues_rank": np.array([branch.parent for branch in branches]) + 1,
            "token": tokens,
            "score": scores,
            "kind": kinds,
        },
    )


def _lanes(lines: Sequence[Branch]) -> dict[tuple[int, int], float]:
    """Return the lane of each token before a line. All but straight lines need one of their own.

    The lowest rank has the lane beside the tokens before: most lines lead down, and so cross least.

    Returns:
        (step to which the line leads, rank of the token before) -> place of the lane, from 0 at the
        tokens before to 1 at those of the step.
    """
    lanes = {(line.step, line.parent): 0.5 for line in lines}
    for step in {line.step for line in lines}:
        parents = {line.parent for line in lines if line.step == step and line.rank != line.parent}
        for n, parent in enumerate(sorted(parents, reverse=True), start=1):
            lanes[step, parent] = n / (len(parents) + 1)
    return lanes


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
    base = alt.Chart(alt.NamedData("branches")).encode(color=colour)

    # 3. The tokens, and a line of three parts to each token from the one before
    x_start, x_lane = (alt.X(f"{name}:Q", scale=x_scale, axis=None) for name in ("start", "lane"))
    y_parent, y_rank = (alt.Y(f"{name}:Q", scale=y_scale, axis=None) for name in ("parent", "rank"))
    is_pruned = f"datum.kind == '{_PRUNED}'"
    rules = (
        alt.Chart(alt.NamedData("lines"))
        .mark_rule(strokeWidth=1.5, strokeCap="square")
        .encode(color=colour, opacity=alt.condition(is_pruned, alt.value(0.6), alt.value(1)))
    )
    out_of_parent = rules.encode(x=x_start, x2="lane:Q", y=y_parent)
    along_lane = rules.encode(x=x_lane, y=y_parent, y2="rank:Q")
    to_token = rules.encode(x=x_lane, x2="end:Q", y=y_rank)
    align = alt.expr("from_right ? 'right' : 'left'")
    tokens = base.mark_text(fontSize=_FONT, align=align).encode(
        x=alt.X("begin:Q", scale=x_scale, axis=None),
        y=y_rank,
        text="text:N",
        tooltip=tooltip(("token:N", " "), ("score:Q", score_title, ".3f"), ("name:N", " ")),
    )
    return alt.LayerChart(layer=[out_of_parent, along_lane, to_token, tokens])
