"""A chart in two halves: the design, made once, and what it shows this time.

Altair takes tens of milliseconds to build and check a specification. Nothing in that depends on the
numbers, so each design is made once; numbers and tokens reach it as tables and as values that its
expressions call by name.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, ParamSpec, cast

import altair as alt
import numpy as np
import numpy.typing as npt
import pyarrow as pa  # type: ignore[import-untyped]

P = ParamSpec("P")
_AROUND = 70  # pixels above and below a plot: its axis with a title, and a legend of one line
LONGEST_LABEL = 140  # pixels; what is longer ends in an ellipsis, and is whole in the tooltip
INK = "currentColor"  # the page's text colour, light or dark
Array = npt.NDArray[np.floating]
Column = npt.NDArray[Any] | Sequence[Any]


@dataclass(frozen=True)
class Chart:
    """One chart, ready to be drawn.

    Args:
        design: a Vega-Lite specification without data, as JSON: one that nobody can change.
        height: of the whole, in pixels; where it grows: with a legend of one line.
        tables: the design's name of each table -> its columns.
        values: the design's name of each value -> what it is this time.
        numbers: what it shows, for who takes the numbers away: heading -> column.
        width: of the whole, in pixels; None: what there is.
        sliders: the design's name of each value that a slider below the chart sets, in the browser
            alone -> what stands beside it, and its largest number; the least is 0.
        grows: the plot keeps its height where the legend takes more lines, as on a telephone.
    """

    design: str
    height: int
    tables: Mapping[str, Mapping[str, Column]] = field(default_factory=dict)
    values: Mapping[str, object] = field(default_factory=dict)
    numbers: Mapping[str, Column] = field(default_factory=dict, compare=False)  # not drawn
    width: int | None = None
    sliders: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    grows: bool = False

    def specification(self) -> dict[str, Any]:
        """The whole, as Vega-Lite takes it, but for the tables, which are Arrow's."""
        whole: dict[str, Any] = json.loads(self.design)
        given = [{"name": name, "value": value} for name, value in self.values.items()]
        given += [
            {"name": name, "value": 0, "bind": {"input": "range", "name": label, "max": highest}}
            for name, (label, highest) in self.sliders.items()
        ]
        # Where it is made narrower Vega makes room for labels that turn or need more rows, when
        # asked once more: web/app/tools/relayout.js.
        fit = "fit-x" if self.grows else "fit"
        fitted = {"type": fit, "contains": "padding", "resize": True}
        size = {"width": self.width} if self.width else {"width": "container", "autosize": fitted}
        return whole | {
            **size,
            "height": self.height - _AROUND if self.grows else self.height,
            "params": [*whole.get("params", []), *given],
            "datasets": {name: _table(columns) for name, columns in self.tables.items()},
        }


def _table(columns: Mapping[str, Column]) -> pa.Table:
    """Straight to Arrow, which takes a tenth of the way through pandas; NaN is a gap."""
    return pa.table({name: pa.array(column, from_pandas=True) for name, column in columns.items()})


def design(draw: Callable[P, alt.TopLevelMixin]) -> Callable[P, str]:
    """Have what Altair draws, without data and size, made once for each of its arguments, as JSON.

    The arguments are texts of the interface and yes or no. What a visitor types and what a model
    says are none: there would be no end of designs.
    """

    @lru_cache(maxsize=256)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> str:
        chart = draw(*args, **kwargs).to_dict()
        del chart["config"]  # Altair's own look; the page has another
        return json.dumps(chart)

    return cast(Callable[P, str], drawn)


def hearing() -> alt.Parameter:
    """What the pointer is on; a chart that hears it measures its labels again when asked to."""
    return alt.selection_point(name="hover", on="pointerover", clear="pointerout", empty=False)


def tooltip(*columns: tuple[str, ...]) -> list[alt.Tooltip]:
    """What the pointer is told: of each column its field, its title and, of a number, its form."""
    return [
        alt.Tooltip(name, title=title, format=form[0] if form else alt.Undefined)
        for name, title, *form in columns
    ]


def named_colour(name: str, names: str, legend: alt.Legend | None) -> alt.Color:
    """A colour for each name in a column, by its place in the value ``names``."""
    return alt.Color(name, scale=alt.Scale(domain=alt.expr(names)), title=None, legend=legend)


def up_to(end: str, **options: Any) -> alt.Scale:
    """A scale from 0 to the value of an expression, no further."""
    return alt.Scale(domain=[0, alt.expr(end)], nice=False, **options)


def token_axis(labels: str, **options: Any) -> alt.Axis:
    """Label n stands in the middle between n and n + 1, so that equal tokens never merge.

    ``labels`` is the name of the value that holds them.
    """
    return alt.Axis(
        values=alt.expr(f"sequence(0.5, length({labels}))"),
        tickCount=alt.expr(f"length({labels})"),  # else Vega leaves out every other one
        labelExpr=f"{labels}[floor(datum.value)]",
        labelOverlap=False,
        labelLimit=LONGEST_LABEL,
        labelColor=INK,
        labelPadding=6,
        title=None,
        grid=False,
        ticks=False,
        domain=False,
        **options,
    )
