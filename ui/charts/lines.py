"""Curves over one horizontal axis."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import altair as alt
import numpy as np
import numpy.typing as npt

from model.pictures.text_width import widest
from ui.charts.chart import Chart, Column, design, hearing

_MOST_TICKS = 10
_FONT = 14  # pixels, of the legend
_LEGEND = alt.Legend(  # as many names beside each other as there is room for
    orient="top", labelLimit=400, columns=alt.expr("max(1, floor(width / room))")
)
_POWER = (  # short at both ends: 1e-81 and 1e+11, but 0.01 and 1,000
    "format(datum.value, datum.value < 1e-4 || datum.value >= 1e6 ? '.0e' : ',~g')"
)


def lines(
    curves: Mapping[str, npt.NDArray[np.floating]],
    x: npt.NDArray[np.floating] | Mapping[str, npt.NDArray[np.floating]],
    *,
    x_title: str,
    y_title: str,
    log_x: bool = False,
    log_y: bool = False,
    points: bool = False,
    mark_x: float | Sequence[float] = (),
    ring: tuple[float, float] | None = None,
    slider: str | None = None,
    height: int = 280,
) -> Chart:
    """Draw curves, each in the colour of its place, with a legend above and exact values on hover.

    Args:
        curves: name to (N,) values; NaN leaves a gap.
        x: (N,) where they stand; or for each name its own, of its curve's length.
        x_title: what x is, with its unit.
        y_title: what the values are, with their unit.
        log_x: logarithmic horizontal axis, base 2; x must be positive.
        log_y: logarithmic vertical axis, base 10; values must be positive.
        points: mark every value with a dot.
        mark_x: where to draw vertical lines.
        ring: x and y of a point to be ringed, such as a crossing.
        slider: name of a slider below the chart, over the whole numbers from 0 to the largest x: it
            moves a line across, and on every curve a dot with its value there.
        height: in pixels, with a legend of one line; with more of them the chart is higher.

    Raises:
        ValueError: a curve's length is not that of x, or a logarithmic axis has no logarithm.
    """
    places = {
        name: np.asarray(x[name] if isinstance(x, Mapping) else x, dtype=np.float64)
        for name in curves
    }
    for name, values in curves.items():
        if np.shape(values) != places[name].shape:
            raise ValueError(
                f"curve {name!r} has shape {np.shape(values)}, x has {places[name].shape}"
            )
        if log_y and not np.nanmin(values) > 0:
            raise ValueError(f"curve {name!r} is not positive and cannot stand on a log axis")
    everywhere = np.concatenate(list(places.values()))
    if log_x and not everywhere.min() > 0:
        raise ValueError("x is not positive and cannot stand on a log axis")
    names = list(curves)
    ys = np.concatenate([np.asarray(curves[name], dtype=np.float64) for name in names])
    name_of = np.repeat(np.array(names, dtype=object), [len(places[name]) for name in names])
    tables: dict[str, Mapping[str, Column]] = {
        "curves": {"x": everywhere, "y": ys, "curve": name_of}
    }
    marks = list(mark_x) if isinstance(mark_x, Sequence) else [mark_x]
    if marks:
        tables["mark"] = {"x": marks}
    if ring is not None:
        tables["ring"] = {"x": [ring[0]], "y": [ring[1]]}
    given: dict[str, object] = {"names": names}
    if len(names) > 1:
        given["room"] = widest(names, _FONT) + 36  # pixels of one name with its sign
    if log_y:
        given["powers"] = _powers(ys)
    return Chart(
        _design(
            x_title,
            y_title,
            log_x=log_x,
            log_y=log_y,
            whole=not log_x and bool((everywhere == np.round(everywhere)).all()),
            points=points,
            marked="mark" in tables,
            ringed="ring" in tables,
            moving=slider is not None,
            several=len(names) > 1,
        ),
        height=height,
        tables=tables,
        values=given,
        numbers={"curve": name_of, x_title: everywhere, y_title: ys},
        sliders={} if slider is None else {"at": (slider, int(everywhere.max()))},
        grows=len(names) > 1,  # a single one has no legend
    )


@design
def _design(
    x_title: str,
    y_title: str,
    *,
    log_x: bool,
    log_y: bool,
    whole: bool,
    points: bool,
    marked: bool,
    ringed: bool,
    moving: bool,
    several: bool,
) -> alt.LayerChart:
    x_scale = alt.Scale(type="log", base=2) if log_x else alt.Scale(zero=False, nice=False)
    y_scale = alt.Scale(type="log") if log_y else alt.Scale()
    x_axis = alt.Axis(tickMinStep=1) if whole else alt.Axis()
    y_axis = alt.Axis(values=alt.expr("powers"), labelExpr=_POWER) if log_y else alt.Axis()
    named = alt.Scale(domain=alt.expr("names"))
    curves = (
        alt.Chart(alt.NamedData("curves"))
        .mark_line(point=points, strokeWidth=2.5)
        .encode(
            x=alt.X("x:Q", title=x_title, scale=x_scale, axis=x_axis),
            y=alt.Y("y:Q", title=y_title, scale=y_scale, axis=y_axis),
            # a single curve needs no legend
            color=alt.Color(
                "curve:N", scale=named, title=None, legend=_LEGEND if several else None
            ),
            tooltip=[
                alt.Tooltip("curve:N", title=" "),
                alt.Tooltip("x:Q", title=x_title, format=".4~g"),
                alt.Tooltip("y:Q", title=y_title, format=".4~g"),
            ],
        )
        .add_params(hearing())
    )
    layers: list[alt.Chart] = [curves]
    if marked:
        rule = alt.Chart(alt.NamedData("mark")).mark_rule(
            strokeDash=[4, 4], color="currentColor", opacity=0.6
        )
        layers.append(rule.encode(x="x:Q"))
    if ringed:
        point = alt.Chart(alt.NamedData("ring"))
        circle = point.mark_point(size=260, strokeWidth=2, color="currentColor", opacity=1)
        layers.append(circle.encode(x="x:Q", y="y:Q"))
    if moving:
        layers += _moving(named)
    return alt.LayerChart(layer=layers)


def _moving(named: alt.Scale) -> list[alt.Chart]:
    """What stands where the slider is: a line, and on every curve a dot and its value."""
    here = alt.Chart(alt.NamedData("curves")).transform_filter("datum.x == at")
    colour = alt.Color("curve:N", scale=named, legend=None)
    left = "at > 0.8 * domain('x')[1]"  # where the values would not fit at the right
    return [
        here.mark_rule(color="currentColor", opacity=0.5).encode(x="x:Q"),
        here.mark_point(filled=True, size=110, opacity=1).encode(x="x:Q", y="y:Q", color=colour),
        here.transform_filter("at > 0")  # at first all sines are 0, and on top of each other
        .mark_text(
            fontSize=13,
            fontWeight=600,
            align=alt.expr(f"{left} ? 'right' : 'left'"),
            dx=alt.expr(f"{left} ? -9 : 9"),
            dy=-11,  # beside a slow wave, not on it
        )
        .encode(x="x:Q", y="y:Q", color=colour, text=alt.Text("y:Q", format=".2f")),
    ]


def _powers(values: npt.NDArray[np.float64]) -> list[float]:
    """Powers of ten round these values, about ten at most: more would only be a grey veil."""
    low, high = np.log10([np.nanmin(values), np.nanmax(values)])
    first, last = math.floor(low), math.ceil(high)
    step = math.ceil((last - first) / _MOST_TICKS) or 1
    return [float(10.0**power) for power in range(first, last + 1, step)]
