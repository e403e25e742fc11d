"""Altair builds each design once; the values reach its expressions."""

import json
import re
from collections.abc import Callable, Iterator
from copy import deepcopy
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


def _lines(n: int, **options: Any) -> Chart:
    curves = {f"<{n}>": np.arange(n) + 1.0, "other": np.arange(n) + 2.0}
    return lines(curves, np.arange(n) + 1.0, x_title="x", y_title="y", height=100 * n, **options)


def _dials(n: int) -> Chart:
    return dials(
        np.arange(n) + 0.0,
        np.arange(n) + 1.0,
        labels=["<b>"] * n,
        before_title=f"<{n}>",
        after_title="after",
        dial_title="dial",
    )


def _head_curves(n: int) -> Chart:
    return head_curves(
        np.zeros((n, 2, 1)),
        range(0, 7 * n, 7),
        layer_names=[f"<{n}>", "L2"],
        head_names=["H1"],
        chosen=(0, 0),
        x_title="step",
        y_title="share",
    )


def _beam_tree(n: int) -> Chart:
    branches = [Branch(step, 0, 0, f"<{n}>", -1.0, "kept") for step in range(1, n + 1)]
    titles = {kind: kind for kind in ("winner", "kept", "pruned")}
    return beam_tree_chart(branches, titles=titles, score_title="score")


def _block(n: int, *, pre_norm: bool) -> Chart:
    return block_diagram(["a", "b"], norm="n", pre_norm=pre_norm, enters=str(n > 0))


DRAW: dict[str, Draw] = {
    "bars": lambda n: bars({f"<{n}>": n, "other": 1}, title="time"),
    "columns": _columns,
    "lines": _lines,
    "lines with all": lambda n: _lines(n, **ALL, mark_x=n, ring=(1, n)),
    "lines with a slider": lambda n: _lines(n, slider="at"),
    "dials": _dials,
    "head curves": _head_curves,
    "beam tree": _beam_tree,
    "pre-norm block": lambda n: _block(n, pre_norm=True),
    "post-norm block": lambda n: _block(n, pre_norm=False),
}
every_chart = pytest.mark.parametrize("draw", DRAW.values(), ids=DRAW)


@every_chart
def test_a_second_chart_of_the_same_kind_builds_nothing_with_altair(
    draw: Draw, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = draw(3)

    def built(self: SchemaBase, *_args: object, **_kwargs: object) -> None:
        raise AssertionError(f"a {type(self).__name__} was built again")

    monkeypatch.setattr(SchemaBase, "__init__", built)
    second = draw(5)
    assert second.design is first.design
    assert second.specification()


@every_chart
def test_a_chart_gives_its_design_exactly_the_values_that_the_expressions_use(draw: Draw) -> None:
    chart = draw(3)
    objects = list(_objects_in(json.loads(chart.design)))
    expressions = [each[key] for each in objects for key in ("expr", "labelExpr") if key in each]
    names = {name for expression in expressions for name in _names_in(expression)}
    assert names - {"width", "datum"} == {*chart.values, *chart.sliders}
    tables = [each["data"] for each in objects if "data" in each]
    assert {table["name"] for table in tables if "name" in table} == set(chart.tables)
    assert complete(chart)["width"] in ("container", chart.width)


@every_chart
def test_a_design_holds_no_text_of_a_visitor(draw: Draw) -> None:
    """Because all visitors share the design."""
    assert "<3>" not in draw(3).design


@every_chart
def test_every_rule_has_a_colour(draw: Draw) -> None:
    """Vega's rules are black by default, which is invisible on a dark page."""
    for layer in _objects_in(json.loads(draw(3).design)):
        mark = layer.get("mark")
        if isinstance(mark, dict) and mark["type"] == "rule":
            assert "color" in mark or "color" in layer["encoding"]


@every_chart
def test_a_chart_stays_as_it_is_when_its_specification_is_changed(draw: Draw) -> None:
    """Streamlit changes the specification that it gets."""
    chart = draw(3)
    before = chart.specification()
    for value in chart.specification().values():
        if isinstance(value, dict | list):
            value.clear()
    assert chart.specification() == before


def _objects_in(value: Any) -> Iterator[dict[str, Any]]:
    """Yield every object in a design, at any depth."""
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value:
        if isinstance(inner, dict | list):
            yield from _objects_in(inner)


def _names_in(expression: str) -> list[str]:
    """Return the names in an expression, without strings, functions, numbers and attributes."""
    return re.findall(r"(?<![\w.])[a-z_]+\b(?!\()", re.sub(r"'[^']*'", "", expression))


def test_whoever_changes_a_specification_changes_no_other() -> None:
    """Streamlit does: it takes the style out of the specification that it draws."""
    chart = _lines(3)
    style = chart.specification()["config"]
    expected = deepcopy(style)
    style.clear()
    assert chart.specification()["config"] == expected
    assert expected["axis"]["labelFontSize"] == 14
