"""Draw one block: the residual stream goes up, and the sublayers are beside it.

The drawing is a chart instead of SVG, because Streamlit removes SVG from HTML and a figure is
saved from its charts. All its numbers are pixels. x counts from the left, y upwards from the lower
end of the residual stream.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import altair as alt

from ui.charts.chart import INK, Chart, design

Point = tuple[float, float]  # x, y
Line = Sequence[Point]  # the corners

_STREAM_X = 75  # the residual stream
_SIDE_X = 215  # middle of the boxes beside the stream
_WIDTH = 290  # width of the drawing
_SUBLAYER_HEIGHT = 150
_MARGIN = 26  # below the first sublayer and above the last one
_BOX_WIDTH = 130
_BOX_HEIGHT = 34
_SUM_RADIUS = 12
_STREAM_THICKNESS = 4
_ARROW_THICKNESS = 1.5


@dataclass(frozen=True)
class _Layout:
    """The positions of one sublayer's shapes, relative to the bottom of the sublayer."""

    stream: Sequence[Line]  # pieces of the residual stream
    arrows: Sequence[Line]  # to the sublayer and back to the sum
    norm: Point  # middle of the box
    sublayer: Point  # middle of the box
    sum: Point  # middle of the circle


# x + sublayer(norm(x)): the stream is one continuous line.
_PRE_NORM = _Layout(
    stream=[
        [(_STREAM_X, 0), (_STREAM_X, _SUBLAYER_HEIGHT)],
    ],
    arrows=[
        [(_STREAM_X, 8), (_SIDE_X, 8), (_SIDE_X, 22)],
        [(_SIDE_X, 56), (_SIDE_X, 70)],
        [(_SIDE_X, 104), (_SIDE_X, 128), (_STREAM_X + _SUM_RADIUS, 128)],
    ],
    norm=(_SIDE_X, 39),
    sublayer=(_SIDE_X, 87),
    sum=(_STREAM_X, 128),
)

# norm(x + sublayer(x)): the norm interrupts the stream.
_POST_NORM = _Layout(
    stream=[
        [(_STREAM_X, 0), (_STREAM_X, 105)],
        [(_STREAM_X, 139), (_STREAM_X, _SUBLAYER_HEIGHT)],
    ],
    arrows=[
        [(_STREAM_X, 8), (_SIDE_X, 8), (_SIDE_X, 24)],
        [(_SIDE_X, 58), (_SIDE_X, 82), (_STREAM_X + _SUM_RADIUS, 82)],
    ],
    norm=(_STREAM_X, 122),
    sublayer=(_SIDE_X, 41),
    sum=(_STREAM_X, 82),
)


def block_diagram(sublayers: Sequence[str], *, norm: str, pre_norm: bool, enters: str) -> Chart:
    """Draw a block from bottom to top.

    Args:
        sublayers: the labels of the sublayers, from the bottom.
        norm: the label of every norm.
        pre_norm: draw each norm before its sublayer; otherwise after its sum, in the stream.
        enters: the label of what enters the block from below.
    """
    drawing = _design(tuple(sublayers), norm, enters, pre_norm=pre_norm)
    return Chart(drawing, height=len(sublayers) * _SUBLAYER_HEIGHT + 2 * _MARGIN)


@design
def _design(
    sublayers: tuple[str, ...], norm: str, enters: str, *, pre_norm: bool
) -> alt.LayerChart:
    """Return the drawing of a block.

    Args:
        sublayers: the labels of the sublayers, from below.
        norm: the label of a norm.
        enters: the label of what enters the block from below.
        pre_norm: whether the norms are before the sublayers or after the sums.
    """
    # 1. Stack the sublayers
    layout = _PRE_NORM if pre_norm else _POST_NORM
    stream: list[Line] = []
    arrows: list[Line] = []
    sums: list[Point] = []
    norms: list[Point] = []
    middles: list[Point] = []
    for n in range(len(sublayers)):
        y = n * _SUBLAYER_HEIGHT
        stream += [_lifted(line, y) for line in layout.stream]
        arrows += [_lifted(line, y) for line in layout.arrows]
        sums += _lifted([layout.sum], y)
        norms += _lifted([layout.norm], y)
        middles += _lifted([layout.sublayer], y)

    # 2. Draw the arrow of the stream out of the block
    top = len(sublayers) * _SUBLAYER_HEIGHT
    stream.append([(_STREAM_X, top), (_STREAM_X, top + 16)])
    leaving = [(_STREAM_X, top), (_STREAM_X, top + 18)]

    # 3. Draw all shapes. A sum is a circle with a plus, whose vertical line is the stream
    plus_signs = [[(x - _SUM_RADIUS, y), (x + _SUM_RADIUS, y)] for x, y in sums]
    labels = [(middle, norm) for middle in norms]
    labels += zip(middles, sublayers, strict=True)
    layers = [
        _lines(stream, _STREAM_THICKNESS),
        _lines(arrows, _ARROW_THICKNESS),
        _arrow_heads([*arrows, leaving]),
        _boxes(norms, middles),
        _texts(labels, font_size=14),
        _circles(sums),
        _lines(plus_signs, _STREAM_THICKNESS),
        _texts([((_STREAM_X, -14), enters)], font_size=15),
    ]
    across = alt.Scale(domain=[0, _WIDTH], nice=False)
    upwards = alt.Scale(domain=[-_MARGIN, top + _MARGIN], nice=False)
    return alt.layer(*layers).encode(
        x=alt.X("x:Q", scale=across, axis=None), y=alt.Y("y:Q", scale=upwards, axis=None)
    )


def _lifted(line: Line, by: float) -> Line:
    return [(x, y + by) for x, y in line]


def _lines(lines: Sequence[Line], thickness: float) -> alt.Chart:
    """Draw lines through the given corners; ``thickness`` is in pixels."""
    rows = []
    for line in lines:
        for (x, y), (next_x, next_y) in pairwise(line):
            rows.append({"x": x, "y": y, "x2": next_x, "y2": next_y})
    return _chart(rows).mark_rule(color=INK, strokeWidth=thickness).encode(x2="x2:Q", y2="y2:Q")


def _arrow_heads(arrows: Sequence[Line]) -> alt.Chart:
    """Draw the head of each arrow. Arrows point up or to the left."""
    rows = []
    for arrow in arrows:
        before_x, _ = arrow[-2]
        x, y = arrow[-1]
        points_up = before_x == x
        rows.append({"x": x, "y": y, "angle": 0 if points_up else 270})
    marks = _chart(rows).mark_point(shape="triangle-up", filled=True, color=INK, size=60, opacity=1)
    return marks.encode(angle=alt.Angle("angle:Q", scale=None))


def _boxes(norms: Sequence[Point], sublayers: Sequence[Point]) -> alt.Chart:
    """Draw a box around each point, with different colours for norms and sublayers."""
    rows = []
    for kind, points in (("sublayer", sublayers), ("norm", norms)):
        for x, y in points:
            sides = {"x": x - _BOX_WIDTH / 2, "x2": x + _BOX_WIDTH / 2}
            ends = {"y": y - _BOX_HEIGHT / 2, "y2": y + _BOX_HEIGHT / 2}
            rows.append({**sides, **ends, "kind": kind})
    marks = _chart(rows).mark_rect(cornerRadius=6, fillOpacity=0.16, strokeWidth=1.5)
    kinds = ["sublayer", "norm"]
    return marks.encode(
        x2="x2:Q",
        y2="y2:Q",
        fill=alt.Fill("kind:N", sort=kinds, legend=None),
        stroke=alt.Stroke("kind:N", sort=kinds, legend=None),
    )


def _circles(middles: Sequence[Point]) -> alt.Chart:
    rows = [{"x": x, "y": y} for x, y in middles]
    return _chart(rows).mark_point(color=INK, size=500, strokeWidth=1.5, opacity=1, filled=False)


def _texts(labels: Sequence[tuple[Point, str]], *, font_size: int) -> alt.Chart:
    rows = [{"x": x, "y": y, "label": label} for (x, y), label in labels]
    return _chart(rows).mark_text(fontSize=font_size, color=INK).encode(text="label:N")


def _chart(rows: Sequence[Mapping[str, object]]) -> alt.Chart:
    """Return a chart with constant data. The data are part of its specification."""
    return alt.Chart(alt.Data(values=list(rows)))  # type: ignore[no-untyped-call]
