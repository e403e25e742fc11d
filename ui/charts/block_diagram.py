"""One block as a drawing: the residual stream going up, its sublayers beside it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import altair as alt

from ui.charts.chart import Chart, design

_INK = "currentColor"
_STREAM, _BRANCH, _RIGHT = 75, 215, 290  # pixels from the left
_STEP, _MARGIN = 150, 26  # pixels of a sublayer, below and above all of them
_WIDE, _HIGH, _PLUS = 65, 17, 12  # half a box; radius of a sum

Point = tuple[float, float]


@dataclass(frozen=True)
class _Box:
    x: float
    y: float
    label: str
    kind: str


@dataclass(frozen=True)
class _Part:
    """One sublayer with its norm and its sum; y is counted upwards.

    Args:
        stream: stretches of the residual stream.
        branch: the way to the sublayer and back to the sum, in arrows.
        total: height of the sum.
        boxes: norm and sublayer.
    """

    stream: Sequence[tuple[Point, Point]]
    branch: Sequence[Sequence[Point]]
    total: float
    boxes: Sequence[_Box]


def block_diagram(sublayers: Sequence[str], *, norm: str, pre_norm: bool, enters: str) -> Chart:
    """Draw a block from bottom to top.

    With pre-norm the stream is one unbroken line; with post-norm the norms stand in it.

    Args:
        sublayers: names, the first at the bottom.
        norm: what a norm is called.
        pre_norm: whether the norm comes before the sublayer or after the sum.
        enters: what comes in below.
    """
    drawing = _design(tuple(sublayers), norm, enters, pre_norm=pre_norm)
    return Chart(drawing, height=len(sublayers) * _STEP + 2 * _MARGIN)


@design
def _design(
    sublayers: tuple[str, ...], norm: str, enters: str, *, pre_norm: bool
) -> alt.LayerChart:
    draw = _pre if pre_norm else _post
    parts = [draw(n * _STEP, name, norm) for n, name in enumerate(sublayers)]
    top = len(sublayers) * _STEP
    boxes = [box for part in parts for box in part.boxes]
    arrows = [arrow for part in parts for arrow in part.branch]
    totals = [part.total for part in parts]
    stream = [stretch for part in parts for stretch in part.stream]
    layers = [
        _rules([*stream, ((_STREAM, top), (_STREAM, top + 16))], width=4),
        _rules((line for arrow in arrows for line in pairwise(arrow)), width=1.5),
        _tips([*arrows, [(_STREAM, top), (_STREAM, top + 18)]]),
        _boxes(boxes),
        _texts([(box.x, box.y, box.label) for box in boxes], size=14),
        _sums(totals),
        _rules((((_STREAM - _PLUS, y), (_STREAM + _PLUS, y)) for y in totals), width=4),
        _texts([(_STREAM, -14, enters)], size=15),
    ]
    across = alt.Scale(domain=[0, _RIGHT], nice=False)
    upwards = alt.Scale(domain=[-_MARGIN, top + _MARGIN], nice=False)
    chart: alt.LayerChart = alt.layer(*layers).encode(
        x=alt.X("x:Q", scale=across, axis=None), y=alt.Y("y:Q", scale=upwards, axis=None)
    )
    return chart


def _pre(floor: float, sublayer: str, norm: str) -> _Part:
    """x + sublayer(norm(x))"""
    fork, total = floor + 8, floor + 128
    return _Part(
        stream=[((_STREAM, floor), (_STREAM, floor + _STEP))],
        branch=[
            [(_STREAM, fork), (_BRANCH, fork), (_BRANCH, floor + 22)],
            [(_BRANCH, floor + 56), (_BRANCH, floor + 70)],
            [(_BRANCH, floor + 104), (_BRANCH, total), (_STREAM + _PLUS, total)],
        ],
        total=total,
        boxes=[
            _Box(_BRANCH, floor + 39, norm, "norm"),
            _Box(_BRANCH, floor + 87, sublayer, "sublayer"),
        ],
    )


def _post(floor: float, sublayer: str, norm: str) -> _Part:
    """norm(x + sublayer(x))"""
    fork, total, middle = floor + 8, floor + 82, floor + 122
    return _Part(
        stream=[
            ((_STREAM, floor), (_STREAM, middle - _HIGH)),
            ((_STREAM, middle + _HIGH), (_STREAM, floor + _STEP)),
        ],
        branch=[
            [(_STREAM, fork), (_BRANCH, fork), (_BRANCH, floor + 24)],
            [(_BRANCH, floor + 58), (_BRANCH, total), (_STREAM + _PLUS, total)],
        ],
        total=total,
        boxes=[
            _Box(_BRANCH, floor + 41, sublayer, "sublayer"),
            _Box(_STREAM, middle, norm, "norm"),
        ],
    )


def _rules(stretches: Iterable[tuple[Point, Point]], *, width: float) -> alt.Chart:
    rows = [{"x": x, "y": y, "x2": x2, "y2": y2} for (x, y), (x2, y2) in stretches]
    marks: alt.Chart = _rows(rows).mark_rule(color=_INK, strokeWidth=width)
    return marks.encode(x2="x2:Q", y2="y2:Q")


def _tips(arrows: Sequence[Sequence[Point]]) -> alt.Chart:
    """The heads of arrows, which point up or to the left."""
    rows = [
        {"x": x, "y": y, "angle": 0 if before[0] == x else 270} for *_, before, (x, y) in arrows
    ]
    marks: alt.Chart = _rows(rows).mark_point(
        shape="triangle-up", filled=True, color=_INK, size=60, opacity=1
    )
    return marks.encode(angle=alt.Angle("angle:Q", scale=None))


def _boxes(boxes: Sequence[_Box]) -> alt.Chart:
    rows = [
        {
            "x": b.x - _WIDE,
            "x2": b.x + _WIDE,
            "y": b.y - _HIGH,
            "y2": b.y + _HIGH,
            "kind": b.kind,
        }
        for b in boxes
    ]
    marks: alt.Chart = _rows(rows).mark_rect(cornerRadius=6, fillOpacity=0.16, strokeWidth=1.5)
    kinds = ["sublayer", "norm"]
    return marks.encode(
        x2="x2:Q",
        y2="y2:Q",
        fill=alt.Fill("kind:N", sort=kinds, legend=None),
        stroke=alt.Stroke("kind:N", sort=kinds, legend=None),
    )


def _sums(heights: Sequence[float]) -> alt.Chart:
    """Circles round a plus, whose upright is the stream."""
    rows = [{"x": _STREAM, "y": y} for y in heights]
    marks: alt.Chart = _rows(rows).mark_point(
        color=_INK, size=500, strokeWidth=1.5, opacity=1, filled=False
    )
    return marks


def _texts(texts: Sequence[tuple[float, float, str]], *, size: int) -> alt.Chart:
    rows = [{"x": x, "y": y, "label": label} for x, y, label in texts]
    marks: alt.Chart = _rows(rows).mark_text(fontSize=size, color=_INK)
    return marks.encode(text="label:N")


def _rows(rows: Sequence[Mapping[str, object]]) -> alt.Chart:
    """A chart of rows that are the same for ever, and so a part of the design."""
    return alt.Chart(alt.Data(values=rows))  # type: ignore[no-untyped-call]
