"""A chart in two halves: the design, made once, and what it shows this time.

Altair takes tens of milliseconds to build and check a specification. Nothing in that depends on the
numbers, so each design is made once; numbers and tokens reach it as tables and as values that its
expressions call by name.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, ParamSpec, cast

import altair as alt
import numpy.typing as npt
import pyarrow as pa  # type: ignore[import-untyped]

P = ParamSpec("P")
_AROUND = 70  # pixels above and below a plot: its axis with a title, and a legend of one line
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
        # asked once more: ui/components/tools/room.js.
        fitted = {
            "type": "fit-x" if self.grows else "fit",
            "contains": "padding",
            "resize": True,
        }
        size = {"width": self.width} if self.width else {"width": "container", "autosize": fitted}
        return whole | {
            **size,
            "height": self.height - _AROUND if self.grows else self.height,
            "params": [*whole.get("params", []), *given],
            "datasets": {name: _table(columns) for name, columns in self.tables.items()},
        }


def design(draw: Callable[P, alt.TopLevelMixin]) -> Callable[P, str]:
    """Have what Altair draws made once for each of its arguments, and kept as JSON.

    The arguments are texts of the interface and yes or no. What a visitor types and what a model
    says are none: there would be no end of designs.

    Args:
        draw: makes the chart, without data and size.
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


def _table(columns: Mapping[str, Column]) -> pa.Table:
    """Straight to Arrow, which takes a tenth of the way through pandas; NaN is a gap."""
    return pa.table({name: pa.array(column, from_pandas=True) for name, column in columns.items()})
