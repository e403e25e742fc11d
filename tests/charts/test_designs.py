"""Each design is built by Altair once; what is drawn with it reaches its expressions."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from altair.utils.schemapi import SchemaBase

from tests.charts.complete import complete
from ui.charts.beam_tree import Branch, beam_tree_chart
from ui.charts.block_diagram import block_diagram
from ui.charts.chart import Chart
from ui.charts.columns import bars, columns
from ui.charts.dials import dials
from ui.charts.lines import head_curves, lines

Draw = Callable[[int], Chart]
ALL = {"log_x": True, "log_y": True, "points": True}


def _columns(n: int) -> Chart:
    values = {f"<{n}>": np.ones(n), "other": np.zeros(n)}
    return columns(values, labels=["x" * n] * n, label_title="", value_title="", limit=n)


def _lines(n: int, **how: Any) -> Chart:
    curves = {f"<{n}>": np.arange(n) + 1.0, "other": np.arange(n) + 2.0}
    return lines(curves, np.arange(n) + 1.0, x_title="x", y_title="y", height=100 * n, **how)


def _dials(n: int) -> Chart:
    names = {"before_title": f"<{n}>", "after_title": "after", "dial_title": "dial"}
    return dials(np.arange(n) + 0.0, np.arange(n) + 1.0, labels=["<b>"] * n, **names)


def _head_curves(n: int) -> Chart:
    layers, heads = [f"<{n}>", "L2"], ["H1"]
    names = {"layer_names": layers, "head_names": heads, "x_title": "step", "y_title": "share"}
    return head_curves(np.zeros((n, 2, 1)), range(0, 7 * n, 7), chosen=(0, 0), **names)


def _beam_tree(n: int) -> Chart:
    branches = [Branch(step, 0, 0, f"<{n}>", -1.0, "kept") for step in range(1, n + 1)]
    titles = {kind: kind for kind in ("winner", "kept", "pruned")}
    return beam_tree_chart(branches, titles=titles, score_title="score")


DRAW: dict[str, Draw] = {
    "bars": lambda n: bars({f"<{n}>": n, "other": 1}, title="time"),
    "columns": _columns,
    "lines": _lines,
    "lines with all": lambda n: _lines(n, **ALL, mark_x=n, ring=(1, n)),
    "lines with a slider": lambda n: _lines(n, slider="at"),
    "dials": _dials,
    "head curves": _head_curves,
    "beam tree": _beam_tree,
    "block": lambda n: block_diagram(["a", "b"], norm="n", pre_norm=True, enters=str(n > 0)),
}
each = pytest.mark.parametrize("draw", DRAW.values(), ids=DRAW)


@each
def test_the_same_kind_of_chart_with_other_data_builds_nothing_of_altair(
    draw: Draw, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = draw(3)

    def built(self: SchemaBase, *_args: object, **_kwargs: object) -> None:
        raise AssertionError(f"a {type(self).__name__} was built again")

    monkeypatch.setattr(SchemaBase, "__init__", built)
    second = draw(5)
    assert second.design is first.design
    assert second.specification()


@each
def test_the_design_calls_all_that_it_is_given_and_nothing_else(draw: Draw) -> None:
    chart = draw(3)
    design = json.loads(chart.design)
    parts = [*_parts(design)]
    said = [part[name] for part in parts for name in ("expr", "labelExpr") if name in part]
    called = {name for one in said for name in _called(one)}
    assert called - {"width", "datum"} == {*chart.values, *chart.sliders}
    tables = [part["data"] for part in parts if "data" in part]
    assert {table["name"] for table in tables if "name" in table} == set(chart.tables)
    assert complete(chart)["width"] in ("container", chart.width)
    assert "<3>" not in chart.design  # kept for everybody: texts of visitors have no place in it
    for layer in parts:
        mark = layer.get("mark")  # Vega's own rules are black, which nobody sees on a dark page
        if isinstance(mark, dict) and mark["type"] == "rule":
            assert "color" in mark or "color" in layer["encoding"]
    before, changed = chart.specification(), chart.specification()
    for value in changed.values():  # Streamlit changes what it is given
        if isinstance(value, dict | list):
            value.clear()
    assert chart.specification() == before


def _parts(part: Any) -> Iterator[dict[str, Any]]:
    """Every object in what Altair has made."""
    if isinstance(part, dict):
        yield part
    for inner in part.values() if isinstance(part, dict) else part:
        if isinstance(inner, dict | list):
            yield from _parts(inner)


def _called(expression: str) -> list[str]:
    """Its names, without texts, functions, numbers and what follows a dot."""
    return re.findall(r"(?<![\w.])[a-z_]+\b(?!\()", re.sub(r"'[^']*'", "", expression))
