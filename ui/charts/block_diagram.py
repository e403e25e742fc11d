"""One block as a drawing: the residual stream going up, its sublayers beside it."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import altair as alt

from ui.charts.chart import INK, Chart, design

_STREAM, _BRANCH, _RIGHT = 75, 215, 290  # pixels from the left
_STEP, _MARGIN = 150, 26  # pixels of a sublayer, below and above all of them
_WIDE, _HIGH, _PLUS = 65, 17, 12  # half a box; radius of a sum

Point = tuple[float, float]


class _Part(NamedTuple):
    """One sublayer with its norm and its sum, all heights counted upwards."""

    stream: Sequence[Point]  # stretches of it, from height to height
    branch: Sequence[Sequence[Point]]  # arrows to the sublayer and back to the sum
    total: float  # height of the sum
    norm: Point  # middle of its box
    sublayer: Point


def block_diagram(sublayers: Sequence[str], *, norm: str, pre_norm: bool, enters: str) -> Chart:
    """Draw a block from bottom to top.

    With pre-norm the stream is one unbroken line; with post-norm the norms stand in it.

    ``sublayers`` are named from the bottom; ``norm`` and what ``enters`` below are texts, too.
    """
    drawing = _design(tuple(sublayers), norm, enters, pre_norm=pre_norm)
    return Chart(drawing, height=len(sublayers) * _STEP + 2 * _MARGIN)


@design
def _design(
    sublayers: tuple[str, ...], norm: str, enters: str, *, pre_norm: bool
) -> alt.LayerChart:
    draw, top = _pre if pre_norm else _post, len(sublayers) * _STEP
    parts = [draw(n * _STEP) for n in range(len(sublayers))]
    boxes = []
    for part, name in zip(parts, sublayers, strict=True):
        both = [(*part.norm, norm, "norm"), (*part.sublayer, name, "sublayer")]
        boxes += sorted(both, key=lambda box: box[1])  # from below
    arrows = [arrow for part in parts for arrow in part.branch]
    stretches = [*(stretch for part in parts for stretch in part.stream), (top, top + 16)]
    sums = [part.total for part in parts]  # circles round a plus, whose upright is the stream
    layers = [
        _rules((((_STREAM, y), (_STREAM, y2)) for y, y2 in stretches), width=4),
        _rules((line for arrow in arrows for line in pairwise(arrow)), width=1.5),
        _tips([*arrows, [(_STREAM, top), (_STREAM, top + 18)]]),
        _boxes(boxes),
        _texts([(x, y, label) for x, y, label, _ in boxes], size=14),
        _rows({"x": _STREAM, "y": y} for y in sums).mark_point(
            color=INK, size=500, strokeWidth=1.5, opacity=1, filled=False
        ),
        _rules((((_STREAM - _PLUS, y), (_STREAM + _PLUS, y)) for y in sums), width=4),
        _texts([(_STREAM, -14, enters)], size=15),
    ]
    across = alt.Scale(domain=[0, _RIGHT], nice=False)
    upwards = alt.Scale(domain=[-_MARGIN, top + _MARGIN], nice=False)
    return alt.layer(*layers).encode(
        x=alt.X("x:Q", scale=across, axis=None), y=alt.Y("y:Q", scale=upwards, axis=None)
    )


def _pre(floor: float) -> _Part:
    """x + sublayer(norm(x))"""
    fork, total = floor + 8, floor + 128
    branch = [
        [(_STREAM, fork), (_BRANCH, fork), (_BRANCH, floor + 22)],
        [(_BRANCH, floor + 56), (_BRANCH, floor + 70)],
        [(_BRANCH, floor + 104), (_BRANCH, total), (_STREAM + _PLUS, total)],
    ]
    stream = [(floor, floor + _STEP)]
    return _Part(stream, branch, total, (_BRANCH, floor + 39), (_BRANCH, floor + 87))


def _post(floor: float) -> _Part:
    """norm(x + sublayer(x))"""
    fork, total, norm = floor + 8, floor + 82, floor + 122
    branch = [
        [(_STREAM, fork), (_BRANCH, fork), (_BRANCH, floor + 24)],
        [(_BRANCH, floor + 58), (_BRANCH, total), (_STREAM + _PLUS, total)],
    ]
    stream = [(floor, norm - _HIGH), (norm + _HIGH, floor + _STEP)]
    return _Part(stream, branch, total, (_STREAM, norm), (_BRANCH, floor + 41))


def _rules(stretches: Iterable[tuple[Point, Point]], *, width: float) -> alt.Chart:
    rows = ({"x": x, "y": y, "x2": x2, "y2": y2} for (x, y), (x2, y2) in stretches)
    return _rows(rows).mark_rule(color=INK, strokeWidth=width).encode(x2="x2:Q", y2="y2:Q")


def _tips(arrows: Sequence[Sequence[Point]]) -> alt.Chart:
    """The heads of arrows, which point up or to the left."""
    rows = _rows(
        {"x": x, "y": y, "angle": 0 if before[0] == x else 270} for *_, before, (x, y) in arrows
    )
    marks = rows.mark_point(shape="triangle-up", filled=True, color=INK, size=60, opacity=1)
    return marks.encode(angle=alt.Angle("angle:Q", scale=None))


def _boxes(boxes: Sequence[tuple[float, float, str, str]]) -> alt.Chart:
    rows = (
        {"x": x - _WIDE, "x2": x + _WIDE, "y": y - _HIGH, "y2": y + _HIGH, "kind": kind}
        for x, y, _, kind in boxes
    )
    marks = _rows(rows).mark_rect(cornerRadius=6, fillOpacity=0.16, strokeWidth=1.5)
    kinds = ["sublayer", "norm"]
    return marks.encode(
        x2="x2:Q",
        y2="y2:Q",
        fill=alt.Fill("kind:N", sort=kinds, legend=None),
        stroke=alt.Stroke("kind:N", sort=kinds, legend=None),
    )


def _texts(texts: Sequence[tuple[float, float, str]], *, size: int) -> alt.Chart:
    rows = ({"x": x, "y": y, "label": label} for x, y, label in texts)
    return _rows(rows).mark_text(fontSize=size, color=INK).encode(text="label:N")


def _rows(rows: Iterable[Mapping[str, object]]) -> alt.Chart:
    """A chart of rows that are the same for ever, and so a part of the design."""
    return alt.Chart(alt.Data(values=[*rows]))  # type: ignore[no-untyped-call]
