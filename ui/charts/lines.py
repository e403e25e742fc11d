"""Line charts: curves over one horizontal axis, and a curve for each head during training."""

import math
from collections.abc import Mapping, Sequence

import altair as alt
import numpy as np
import numpy.typing as npt

from model.pictures.text import max_text_width
from ui.charts.chart import (
    INK,
    Array,
    Chart,
    Column,
    design,
    legend_above,
    named_colour,
    pointer_selection,
    tooltip,
)

_MAX_POWERS = 10  # about the most grid lines at powers of ten; more would look like a grey area
_FONT = 14  # pixels, of the legend
_LINE = 2.5  # pixels, width of a curve
_STRIPE = 9  # pixels of each colour where equal curves lie on each other
_LEGEND_SIGN = 36  # pixels of a symbol in the legend and the gap to the next name
_LEGEND = legend_above(  # as many names side by side as fit
    labelLimit=400, columns=alt.expr("max(1, floor(width / room))")
)
_POWER_LABEL = "power_labels[indexof(powers, datum.value)]"
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def lines(
    curves: Mapping[str, Array],
    x: Array | Mapping[str, Array],
    *,
    x_title: str,
    y_title: str,
    log_x: bool = False,
    log_y: bool = False,
    points: bool = False,
    mark_x: float | Sequence[float] | None = None,
    ring: tuple[float, float] | None = None,
    slider: str | None = None,
    legend: bool = True,
    titled: bool = True,
    x_end: float | None = None,
    shares: bool = False,
    height: int = 280,
) -> Chart:
    """Draw curves in different colours, with a legend above and exact values in a tooltip.

    Args:
        curves: name to (N,) values; NaN leaves a gap.
        x: (N,) positions of the values; or for each name its own, as long as its curve.
        x_title: what x is, with its unit.
        y_title: what the values are, with their unit.
        log_x: logarithmic horizontal axis, base 2; x must be positive.
        log_y: logarithmic vertical axis, base 10; values must be positive.
        points: mark every value with a dot.
        mark_x: where to draw a vertical line, or several.
        ring: x and y of a point to draw a ring around, such as a crossing.
        slider: label of a slider below the chart, over the whole numbers from 0 to the largest x.
            It moves a vertical line, and on every curve a dot with its value there.
        legend: False if the figure has another legend for the same curves.
        titled: False if a text above the chart says what the values are.
        x_end: where the horizontal axis ends, if curves that begin near 0 will go on to there;
            None: at the largest x.
        shares: whether the values are shares, so that the vertical axis is from 0 to 1.
        height: in pixels, with a legend of one line; with more lines the chart is higher.

    Raises:
        ValueError: a curve's length is not that of x, or a logarithmic axis has no logarithm.
    """
    # 1. Concatenate the points of all curves
    names = list(curves)
    x_of_name = x if isinstance(x, Mapping) else dict.fromkeys(names, x)
    for name, values in curves.items():
        if np.shape(values) != np.shape(x_of_name[name]):
            raise ValueError(
                f"curve {name!r} has shape {np.shape(values)}, x has {np.shape(x_of_name[name])}"
            )
    xs = np.concatenate([np.asarray(x_of_name[name], dtype=np.float64) for name in names])
    ys = np.concatenate([np.asarray(curves[name], dtype=np.float64) for name in names])
    curve_of_point = np.repeat(
        np.array(names, dtype=object), [len(values) for values in curves.values()]
    )
    if log_x and not np.nanmin(xs) > 0:
        raise ValueError("x is not positive and cannot be on a logarithmic axis")
    if log_y and not np.nanmin(ys) > 0:
        raise ValueError("y is not positive and cannot be on a logarithmic axis")

    # 2. Set the values that the design refers to
    points_of_curves: dict[str, Column] = {"x": xs, "y": ys, "curve": curve_of_point}
    dashes = _dashes(curves, x_of_name)
    tables: dict[str, Mapping[str, Column]] = {"curves": points_of_curves}
    if mark_x is not None:
        tables["mark"] = {"x": np.atleast_1d(mark_x)}
    if ring is not None:
        tables["ring"] = {"x": [ring[0]], "y": [ring[1]]}
    values_by_name: dict[str, object] = {"names": names}
    if any(map(len, dashes)):
        values_by_name["dashes"] = dashes
    has_legend = legend and len(names) > 1
    if has_legend:
        values_by_name["room"] = max_text_width(names, _FONT) + _LEGEND_SIGN  # pixels per name
    if x_end is not None:
        values_by_name["x_end"] = x_end
    if log_y:
        powers = _powers_of_ten(ys)
        values_by_name["powers"] = powers
        values_by_name["power_labels"] = _labels_of_powers(powers)
    sliders = {}
    if slider is not None:
        sliders["at"] = (slider, int(xs.max()))

    return Chart(
        _lines(
            x_title,
            y_title,
            log_x=log_x,
            log_y=log_y,
            whole_x=bool((xs == np.round(xs)).all()),
            has_end=x_end is not None,
            to_one=shares or not np.nan_to_num(ys).any(),
            points=points,
            has_legend=has_legend,
            n_dashes=len(dashes) if any(map(len, dashes)) else 0,
            has_mark=mark_x is not None,
            has_ring=ring is not None,
            has_slider=slider is not None,
            titled=titled,
        ),
        height=height,
        tables=tables,
        values=values_by_name,
        numbers={"curve": curve_of_point, x_title: xs, y_title: ys},
        sliders=sliders,
        grows=has_legend,
    )


@design
def _lines(
    x_title: str,
    y_title: str,
    *,
    log_x: bool,
    log_y: bool,
    whole_x: bool,
    has_end: bool,
    to_one: bool,
    points: bool,
    has_legend: bool,
    n_dashes: int,
    has_mark: bool,
    has_ring: bool,
    has_slider: bool,
    titled: bool,
) -> alt.LayerChart:
    """Return the design of the curves. It refers to the numbers by name.

    Args:
        x_title: the title of the x axis.
        y_title: the title of the y axis.
        log_x: whether the x axis is logarithmic, to base 2.
        log_y: whether the y axis is logarithmic.
        whole_x: whether all x are whole numbers.
        has_end: whether the x axis is from 0 to a given end.
        to_one: whether the y axis is from 0 to 1: for shares, and where all y are 0, whose axis
            Vega would label "0.000000".
        points: whether each value is drawn as a dot, too.
        has_legend: whether there are several curves.
        n_dashes: number of curves if some lie on each other and alternate in stripes, else 0.
        has_mark: whether a line marks one x, or lines several.
        has_ring: whether one point has a ring.
        has_slider: whether a slider chooses an x.
        titled: whether the y axis has its title.
    """
    # 1. The axes
    x_scale = alt.Scale(type="log", base=2) if log_x else alt.Scale(zero=False, nice=False)
    if has_end:
        x_scale = alt.Scale(domainMin=0, domainMax=alt.expr("x_end"), nice=False)
    x_axis = alt.Axis(tickMinStep=1) if whole_x and not log_x else alt.Axis()
    y_scale = alt.Scale(type="log") if log_y else alt.Scale()
    if to_one:
        y_scale = alt.Scale(domain=[0, 1])
    y_axis = alt.Axis(values=alt.expr("powers"), labelExpr=_POWER_LABEL) if log_y else alt.Axis()

    # 2. The curves
    curves = alt.Chart(alt.NamedData("curves"))
    dash = {}
    if n_dashes:
        stripes = alt.Scale(
            domain=alt.expr("names"), range=[alt.expr(f"dashes[{n}]") for n in range(n_dashes)]
        )
        dash["strokeDash"] = alt.StrokeDash("curve:N", scale=stripes, legend=None)
    # a screen reader says the name of a whole curve, not the numbers of its first point
    named = {} if points else {"description": alt.Description("curve:N")}
    layers: list[alt.Chart] = [
        curves.mark_line(point=points)
        .encode(
            **dash,
            **named,
            strokeWidth=alt.value(_LINE),
            x=alt.X("x:Q", title=x_title, scale=x_scale, axis=x_axis),
            y=alt.Y("y:Q", title=y_title if titled else None, scale=y_scale, axis=y_axis),
            color=named_colour("curve:N", "names", _LEGEND if has_legend else None),
            tooltip=tooltip(("curve:N", " "), ("x:Q", x_title, ".4~g"), ("y:Q", y_title, ".4~g")),
        )
        .add_params(pointer_selection())
    ]

    # 3. The marks over the curves
    if has_mark:
        mark = alt.Chart(alt.NamedData("mark"))
        rule = mark.mark_rule(strokeDash=[4, 4], color=INK, opacity=0.6)
        layers.append(rule.encode(x="x:Q"))
    if has_ring:
        ring = alt.Chart(alt.NamedData("ring"))
        circle = ring.mark_point(size=260, strokeWidth=2, color=INK, opacity=1)
        layers.append(circle.encode(x="x:Q", y="y:Q"))
    if has_slider:
        layers += _at_slider(curves)
    return alt.LayerChart(layer=layers)


def _dashes(curves: Mapping[str, Array], x: Mapping[str, Array]) -> list[list[int]]:
    """Return the dashes of each curve: [] for a solid line.

    Equal curves lie on each other. Each of them gets stripes of the same length, because a curve
    is drawn over the earlier ones and leaves gaps for them.
    """
    names = list(curves)
    dashes = []
    for name in names:
        equal = [
            other
            for other in names
            if np.array_equal(x[name], x[other])
            and np.array_equal(curves[name], curves[other], equal_nan=True)
        ]
        below = equal.index(name)  # curves drawn before this one
        over = len(equal) - below  # this curve and those drawn after it
        dashes.append([_STRIPE * over, _STRIPE * below] if below else [])
    return dashes


def _at_slider(curves: alt.Chart) -> list[alt.Chart]:
    """Draw a vertical line at the slider, with a dot and a value on each curve."""
    at_slider = curves.transform_filter("datum.x == at")
    colour = named_colour("curve:N", "names", None)
    line = at_slider.mark_rule(color=INK, opacity=0.5).encode(x="x:Q")
    dots = at_slider.mark_point(filled=True, size=110, opacity=1).encode(
        x="x:Q", y="y:Q", color=colour
    )

    to_the_left = "at > 0.8 * domain('x')[1]"  # no space for values at the right
    numbers = (
        at_slider.transform_filter("at > 0")  # at 0 all sines are the same
        .mark_text(
            fontSize=13,
            fontWeight=600,
            align=alt.expr(f"{to_the_left} ? 'right' : 'left'"),
            dx=alt.expr(f"{to_the_left} ? -9 : 9"),
            dy=-11,  # above a slow wave, not on it
        )
        .encode(x="x:Q", y="y:Q", color=colour, text=alt.Text("y:Q", format=".2f"))
    )
    return [line, dots, numbers]


def _powers_of_ten(values: npt.NDArray[np.float64]) -> list[float]:
    """Return powers of ten at equal distances that enclose the values, at most about ten."""
    low, high = np.log10([np.nanmin(values), np.nanmax(values)])
    first = math.floor(low)
    last = math.ceil(high)
    step = max(1, math.ceil((last - first) / _MAX_POWERS))
    return [float(10.0**power) for power in range(first, last + 1, step)]


def _labels_of_powers(powers: Sequence[float]) -> list[str]:
    """Return short labels of powers of ten: 1,000 if all of them are short, else 10³."""
    if powers[0] >= 1e-4 and powers[-1] < 1e6:
        return [f"{power:,g}" for power in powers]
    exponents = [f"{math.log10(power):.0f}" for power in powers]
    return [f"10{exponent.translate(_SUPERSCRIPTS)}" for exponent in exponents]


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
    """Draw a line for each head in the colour of its layer; the chosen head's line is thick.

    The axis of steps is linear up to the first step after 0, and logarithmic from there.

    Args:
        values: (N, layers, heads) in [0, 1].
        steps: N steps, rising from 0.
        layer_names: one name for each layer, for the legend.
        head_names: one name for each head of a layer, for the tooltip.
        chosen: layer and head, from 0.
        x_title: what a step is.
        y_title: what the values are.

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

    # Make one table row for each value: the index of its step, its layer and its head
    step_index, layer, head = np.indices(values.shape).reshape(3, -1)
    step = np.array(steps)[step_index]
    value = values.ravel()
    table: dict[str, Column] = {
        "step": step,
        "value": value,
        "layer": np.array(layer_names, dtype=object)[layer],
        "head": np.array(head_names, dtype=object)[head],
        "chosen": (layer == chosen[0]) & (head == chosen[1]),
    }
    end_of_linear = max([1, *steps[1:2]])
    return Chart(
        _head_curves(x_title, y_title),
        height=300,
        tables={"curves": table},
        values={"steps": list(steps), "linear": end_of_linear, "layers": list(layer_names)},
        numbers={x_title: step, "layer": layer + 1, "head": head + 1, y_title: value},
    )


@design
def _head_curves(x_title: str, y_title: str) -> alt.Chart:
    """Return the design of ``head_curves``. It refers to the numbers by name."""
    x_scale = alt.Scale(type="symlog", constant=alt.expr("linear"), nice=False)
    x_axis = alt.Axis(values=alt.expr("steps"), format=",d", labelOverlap="greedy")
    legend = legend_above(symbolOpacity=1)
    chart: alt.Chart = alt.Chart(alt.NamedData("curves")).mark_line(point=True)
    return chart.encode(
        x=alt.X("step:Q", title=x_title, scale=x_scale, axis=x_axis),
        y=alt.Y("value:Q", title=y_title, scale=alt.Scale(domain=[0, 1])),
        color=named_colour("layer:N", "layers", legend),
        detail="head:N",
        strokeWidth=alt.condition("datum.chosen", alt.value(4), alt.value(1.5)),
        opacity=alt.condition("datum.chosen", alt.value(1), alt.value(0.5)),
        tooltip=tooltip(
            ("layer:N", " "),
            ("head:N", " "),
            ("step:Q", x_title, ",d"),
            ("value:Q", y_title, ".3f"),
        ),
    )
