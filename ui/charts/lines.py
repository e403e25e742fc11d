"""Curves over one horizontal axis, and those of all heads over the steps of a training."""

import math
from collections.abc import Mapping, Sequence

import altair as alt
import numpy as np
import numpy.typing as npt

from model.pictures.text import widest
from ui.charts.chart import INK, Array, Chart, Column, design, hearing, named_colour, tooltip

_MOST_TICKS = 10
_FONT = 14  # pixels, of the legend
_LEGEND = alt.Legend(  # as many names beside each other as there is room for
    orient="top", labelLimit=400, columns=alt.expr("max(1, floor(width / room))")
)
_POWER = (  # short at both ends: 1e-81 and 1e+11, but 0.01 and 1,000
    "format(datum.value, datum.value < 1e-4 || datum.value >= 1e6 ? '.0e' : ',~g')"
)


def lines(
    curves: Mapping[str, Array],
    x: Array | Mapping[str, Array],
    *,
    x_title: str,
    y_title: str,
    log_x: bool = False,
    log_y: bool = False,
    points: bool = False,
    mark_x: float | None = None,
    ring: tuple[float, float] | None = None,
    slider: str | None = None,
    height: int = 280,
) -> Chart:
    """Draw curves, each in the colour of its place, with a legend above and exact values on hover.

    Args:
        curves: name to (N,) values; NaN leaves a gap.
        x: (N,) where they stand; or for each name its own, of its curve's length.
        log_x: logarithmic horizontal axis, base 2; x must be positive.
        log_y: logarithmic vertical axis, base 10; values must be positive.
        points: mark every value with a dot.
        mark_x: where to draw a vertical line.
        ring: x and y of a point to be ringed, such as a crossing.
        slider: name of a slider below the chart, over the whole numbers from 0 to the largest x: it
            moves a line across, and on every curve a dot with its value there.
        height: in pixels, with a legend of one line; with more of them the chart is higher.

    Raises:
        ValueError: a curve's length is not that of x, or a logarithmic axis has no logarithm.
    """
    names, given_x = list(curves), x if isinstance(x, Mapping) else dict.fromkeys(curves, x)
    for name, values in curves.items():
        if np.shape(values) != np.shape(given_x[name]):
            raise ValueError(
                f"curve {name!r} has shape {np.shape(values)}, x has {np.shape(given_x[name])}"
            )
    xs, ys = (
        np.concatenate([np.asarray(of[name], dtype=np.float64) for name in names])
        for of in (given_x, curves)
    )
    for axis, is_log, numbers in (("x", log_x, xs), ("y", log_y, ys)):
        if is_log and not np.nanmin(numbers) > 0:
            raise ValueError(f"{axis} is not positive and cannot stand on a log axis")
    name_of = np.repeat(np.array(names, dtype=object), [len(curves[name]) for name in names])
    tables: dict[str, Mapping[str, Column]] = {"curves": {"x": xs, "y": ys, "curve": name_of}}
    if mark_x is not None:
        tables["mark"] = {"x": [mark_x]}
    if ring is not None:
        tables["ring"] = {"x": [ring[0]], "y": [ring[1]]}
    several = len(names) > 1  # a single one needs no legend
    values_named: dict[str, object] = {"names": names}
    if several:
        values_named["room"] = widest(names, _FONT) + 36  # pixels of one name with its sign
    if log_y:
        values_named["powers"] = _powers(ys)
    sliders = {} if slider is None else {"at": (slider, int(xs.max()))}
    whole, parts = bool((xs == np.round(xs)).all()), (*tables, *values_named, *sliders)
    return Chart(
        _lines(x_title, y_title, log_x=log_x, whole=whole, points=points, parts=parts),
        height=height,
        tables=tables,
        values=values_named,
        numbers={"curve": name_of, x_title: xs, y_title: ys},
        sliders=sliders,
        grows=several,
    )


@design
def _lines(
    x_title: str, y_title: str, *, log_x: bool, whole: bool, points: bool, parts: tuple[str, ...]
) -> alt.LayerChart:
    x_scale = alt.Scale(type="log", base=2) if log_x else alt.Scale(zero=False, nice=False)
    log_y = "powers" in parts
    y_scale = alt.Scale(type="log") if log_y else alt.Scale()
    x_axis = alt.Axis(tickMinStep=1) if whole and not log_x else alt.Axis()
    y_axis = alt.Axis(values=alt.expr("powers"), labelExpr=_POWER) if log_y else alt.Axis()
    curves = alt.Chart(alt.NamedData("curves"))
    layers: list[alt.Chart] = [
        curves.mark_line(point=points, strokeWidth=2.5)
        .encode(
            x=alt.X("x:Q", title=x_title, scale=x_scale, axis=x_axis),
            y=alt.Y("y:Q", title=y_title, scale=y_scale, axis=y_axis),
            color=named_colour("curve:N", "names", _LEGEND if "room" in parts else None),
            tooltip=tooltip(("curve:N", " "), ("x:Q", x_title, ".4~g"), ("y:Q", y_title, ".4~g")),
        )
        .add_params(hearing())
    ]
    if "mark" in parts:
        rule = alt.Chart(alt.NamedData("mark")).mark_rule(strokeDash=[4, 4], color=INK, opacity=0.6)
        layers.append(rule.encode(x="x:Q"))
    if "ring" in parts:
        point = alt.Chart(alt.NamedData("ring"))
        circle = point.mark_point(size=260, strokeWidth=2, color=INK, opacity=1)
        layers.append(circle.encode(x="x:Q", y="y:Q"))
    return alt.LayerChart(layer=[*layers, *(_moving(curves) if "at" in parts else ())])


def _moving(curves: alt.Chart) -> list[alt.Chart]:
    """What stands where the slider is: a line, and on every curve a dot and its value."""
    here = curves.transform_filter("datum.x == at")
    colour = named_colour("curve:N", "names", None)
    left = "at > 0.8 * domain('x')[1]"  # where the values would not fit at the right
    text = here.transform_filter("at > 0").mark_text(  # at 0 all sines are the same
        fontSize=13,
        fontWeight=600,
        align=alt.expr(f"{left} ? 'right' : 'left'"),
        dx=alt.expr(f"{left} ? -9 : 9"),
        dy=-11,  # beside a slow wave, not on it
    )
    return [
        here.mark_rule(color=INK, opacity=0.5).encode(x="x:Q"),
        here.mark_point(filled=True, size=110, opacity=1).encode(x="x:Q", y="y:Q", color=colour),
        text.encode(x="x:Q", y="y:Q", color=colour, text=alt.Text("y:Q", format=".2f")),
    ]


def _powers(values: npt.NDArray[np.float64]) -> list[float]:
    """Powers of ten round these values, about ten at most: more would only be a grey veil."""
    low, high = np.log10([np.nanmin(values), np.nanmax(values)])
    first, last = math.floor(low), math.ceil(high)
    step = math.ceil((last - first) / _MOST_TICKS) or 1
    return [float(10.0**power) for power in range(first, last + 1, step)]


def head_curves(
    values: Array,
    steps: Sequence[int],
    *,
    layer_names: Sequence[str],
    head_names: Sequence[str],
    chosen: tuple[int, int],
    x_title: str,
    y_title: str,
) -> Chart:
    """Draw a line for each head, in the colour of its layer; the chosen head's is thick.

    Steps stand on a scale that is linear up to the first one after 0 and logarithmic from there.

    Args:
        values: (N, layers, heads) in [0, 1].
        steps: N steps, rising from 0.
        chosen: layer and head, from 0.

    Raises:
        ValueError: the shape does not fit steps and names, or a value lies outside [0, 1].
    """
    if values.shape != (len(steps), len(layer_names), len(head_names)):
        raise ValueError(
            f"values of shape {values.shape} do not fit {len(steps)} steps, {len(layer_names)} "
            f"layers and {len(head_names)} heads"
        )
    if not (values.min() >= 0 and values.max() <= 1 + 1e-6):
        raise ValueError(f"values must lie in [0, 1], got {values.min()} to {values.max()}")
    place, layer, head = np.indices(values.shape).reshape(3, -1)
    step, value = np.array(steps)[place], values.ravel()
    curves = {
        "step": step,
        "value": value,
        "layer": np.array(layer_names, dtype=object)[layer],
        "head": np.array(head_names, dtype=object)[head],
        "chosen": (layer == chosen[0]) & (head == chosen[1]),
    }
    linear = max(1, *steps[1:2])
    return Chart(
        _head_curves(x_title, y_title),
        height=300,
        tables={"curves": curves},
        values={"steps": list(steps), "linear": linear, "layers": list(layer_names)},
        numbers={x_title: step, "layer": layer + 1, "head": head + 1, y_title: value},
    )


@design
def _head_curves(x_title: str, y_title: str) -> alt.Chart:
    across = alt.Scale(type="symlog", constant=alt.expr("linear"), nice=False)
    axis = alt.Axis(values=alt.expr("steps"), format=",d", labelOverlap="greedy")
    legend = alt.Legend(orient="top", symbolOpacity=1)
    numbers = ("step:Q", x_title, ",d"), ("value:Q", y_title, ".3f")
    chart: alt.Chart = alt.Chart(alt.NamedData("curves")).mark_line(point=True)
    return chart.encode(
        x=alt.X("step:Q", title=x_title, scale=across, axis=axis),
        y=alt.Y("value:Q", title=y_title, scale=alt.Scale(domain=[0, 1])),
        color=named_colour("layer:N", "layers", legend),
        detail="head:N",
        strokeWidth=alt.condition("datum.chosen", alt.value(4), alt.value(1.5)),
        opacity=alt.condition("datum.chosen", alt.value(1), alt.value(0.5)),
        tooltip=tooltip(("layer:N", " "), ("head:N", " "), *numbers),
    )
