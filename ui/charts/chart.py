"""A chart with two parts: the design, which is made once, and the data, which change.

Altair takes tens of milliseconds to build and check a specification. The specification does not
depend on the numbers, so each design is made once. Numbers and tokens are passed to it as tables,
and as values that its expressions refer to by name.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, ParamSpec, cast

import altair as alt
import numpy as np
import numpy.typing as npt
import pyarrow as pa  # type: ignore[import-untyped]

P = ParamSpec("P")
_AXIS_AND_LEGEND = 70  # pixels above and below a plot: axis with title, legend of one line
_PADDING = {"top": 8, "bottom": 4}  # pixels; Streamlit would leave 20 below, and nothing above
# Pixels at the right, for half of the last label of an axis. Vega leaves no space for a label that
# it hides at first because another one is too close.
_LABEL_END = 24
_MAX_LABEL = 140  # pixels; a longer label ends in an ellipsis, and the tooltip shows all of it
_MAX_DESIGNS = 256  # designs kept in memory; the app has fewer, even with two languages
INK = "currentColor"  # the page's text colour, light or dark
_FONT = 14  # pixels, of axes and legends: readable from the last row of a class
# Where Streamlit's own style would be smaller, pale, and push the outermost labels of an axis off
# their grid lines.
_STYLE = {
    "axis": {
        "labelFontSize": _FONT,
        "titleFontSize": _FONT,
        "labelColor": INK,
        "titleColor": INK,
        "labelFlush": False,
        "labelSeparation": 6,
    },
    "legend": {"labelFontSize": _FONT, "labelColor": INK},
}
Array = npt.NDArray[np.floating]
Column = npt.NDArray[Any] | Sequence[Any]


@dataclass(frozen=True)
class Chart:
    """One chart, with its design and its data.

    Args:
        design: a Vega-Lite specification without data, as JSON, so that nobody can change it.
        height: of the whole chart, in pixels. If it ``grows``, this is its height with a legend of
            one line.
        tables: the name of each table in the design -> its columns.
        values: the name of each value in the design -> the value.
        numbers: what a saved file holds: heading -> column.
        width: of the whole chart, in pixels; None for the width of the page's column.
        sliders: the name of each value that a slider below the chart sets, in the browser alone ->
            its label, and its largest number; the smallest is 0.
        grows: whether the plot keeps its height when the legend takes more lines, as it does on a
            phone.
    """

    design: str
    height: int
    tables: Mapping[str, Mapping[str, Column]] = field(default_factory=dict)
    values: Mapping[str, object] = field(default_factory=dict)
    numbers: Mapping[str, Column] = field(default_factory=dict)  # not drawn
    width: int | None = None
    sliders: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    grows: bool = False

    def specification(self) -> dict[str, Any]:
        """Return the complete Vega-Lite specification, with its tables in Arrow format."""
        specification: dict[str, Any] = json.loads(self.design)

        # 1. Set the values that the expressions of the design refer to by name
        params = list(specification.get("params", []))
        for name, value in self.values.items():
            params.append({"name": name, "value": value})
        for name, (label, highest) in self.sliders.items():
            slider = {"input": "range", "name": label, "max": highest}
            params.append({"name": name, "value": 0, "bind": slider})
        specification["params"] = params

        # 2. The size
        if self.width:
            specification["width"] = self.width
        else:
            # When a chart becomes narrower, Vega does not make space for rotated labels or a longer
            # legend until web/app/tools/relayout.js requests a new layout.
            fit = "fit-x" if self.grows else "fit"
            specification["width"] = "container"
            specification["autosize"] = {"type": fit, "contains": "padding", "resize": True}
        specification["padding"] = dict(_PADDING)
        if not self.width:
            specification["padding"]["right"] = _LABEL_END
        specification["config"] = deepcopy(_STYLE)
        specification["height"] = self.height - _AXIS_AND_LEGEND if self.grows else self.height

        # 3. Add the data
        specification["datasets"] = {
            name: _arrow_table(columns) for name, columns in self.tables.items()
        }
        return specification


def _arrow_table(columns: Mapping[str, Column]) -> pa.Table:
    """Make an Arrow table, in which NaN is a gap. Pandas would take ten times as long."""
    return pa.table({name: pa.array(column, from_pandas=True) for name, column in columns.items()})


def design(draw: Callable[P, alt.TopLevelMixin]) -> Callable[P, str]:
    """Decorate an Altair drawing function, so that each design is made once and stored as JSON.

    The arguments of the function must be texts of the interface, or yes or no. They must never be
    what a visitor types or what a model writes, because every new text would store one more design.
    """

    @lru_cache(maxsize=_MAX_DESIGNS)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> str:
        chart = draw(*args, **kwargs).to_dict()
        del chart["config"]  # remove Altair's style, because the page has its own
        return json.dumps(chart)

    return cast(Callable[P, str], drawn)


def pointer_selection() -> alt.Parameter:
    """Return a selection of the mark under the pointer, which a chart does not show.

    Any event of a selection makes Vega measure the labels of its chart again.
    ``web/app/tools/relayout.js`` sends such an event to charts that have become narrower.
    """
    return alt.selection_point(name="hover", on="pointerover", clear="pointerout", empty=False)


def tooltip(*columns: tuple[str, ...]) -> list[alt.Tooltip]:
    """Return the fields that a tooltip shows.

    Args:
        columns: for each line of the tooltip its field, its title and, for a number, its format in
            the letters of d3-format.
    """
    return [
        alt.Tooltip(name, title=title, format=form[0] if form else alt.Undefined)
        for name, title, *form in columns
    ]


def legend_above(**options: Any) -> alt.Legend:
    """Return a legend above the plot, close to both. ``options`` are passed to ``alt.Legend``.

    Streamlit's own style leaves 16 pixels free on each side of a legend.
    """
    return alt.Legend(orient="top", padding=0, offset=8, **options)


def named_colour(name: str, names: str, legend: alt.Legend | None) -> alt.Color:
    """Return the colours of a column of names, by the index of each name among all names.

    Args:
        name: the field of the column.
        names: the name of the value that lists all names.
        legend: the legend of the colours; None for no legend.
    """
    return alt.Color(name, scale=alt.Scale(domain=alt.expr(names)), title=None, legend=legend)


def scale_from_zero(end: str, **options: Any) -> alt.Scale:
    """Return a scale from 0 to exactly the value of the expression ``end``.

    ``options`` are passed to ``alt.Scale``.
    """
    return alt.Scale(domain=[0, alt.expr(end)], nice=False, **options)


def token_axis(labels: str, **options: Any) -> alt.Axis:
    """Return an axis with label n between n and n + 1. Repeated tokens get separate places.

    Args:
        labels: the name of the value that holds the labels.
        options: passed to ``alt.Axis``.
    """
    options.setdefault("labelLimit", _MAX_LABEL)
    return alt.Axis(
        values=alt.expr(f"sequence(0.5, length({labels}))"),
        tickCount=alt.expr(f"length({labels})"),  # without it Vega leaves out every second label
        labelExpr=f"{labels}[floor(datum.value)]",
        labelOverlap=False,
        labelColor=INK,
        labelPadding=6,
        title=None,
        grid=False,
        ticks=False,
        domain=False,
        **options,
    )
