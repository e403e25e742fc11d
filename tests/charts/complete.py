"""A chart as the browser gets it, and found valid by Altair."""

import json
import re
from typing import Any

import altair as alt
from altair.utils.schemapi import validate_jsonschema

from ui.charts.chart import Chart

_SCHEMA = alt.load_schema()


def complete(chart: Chart) -> dict[str, Any]:
    """All but the rows of its tables; raises what Altair finds wrong with it."""
    whole = json.loads(json.dumps(chart.specification() | {"datasets": {}}, allow_nan=False))
    validate_jsonschema(whole, {"$ref": "#/definitions/TopLevelSpec"}, _SCHEMA)
    return whole


def rows(chart: Chart, table: str) -> list[dict[str, Any]]:
    """What is to be drawn."""
    found: list[dict[str, Any]] = chart.specification()["datasets"][table].to_pylist()
    return found


def value(chart: Chart, name: str) -> Any:
    """What the expressions of the design find under this name."""
    [found] = [param["value"] for param in chart.specification()["params"] if param["name"] == name]
    return found


def domain(chart: Chart, encoding: dict[str, Any]) -> list[float]:
    """The ends of a scale; an end that is an expression is a number of values or a value."""
    return [_number(chart, end) for end in encoding["scale"]["domain"]]


def labels(chart: Chart, axis: dict[str, Any]) -> list[str]:
    """The texts of an axis that token_axis has made: a value's, or those of a table's column."""
    said = re.fullmatch(r"(.+)\[floor\(datum\.value\)\]", axis["labelExpr"])
    assert said is not None
    assert axis["values"] == {"expr": f"sequence(0.5, length({said[1]}))"}
    if column := re.fullmatch(r"pluck\(data\('(\w+)'\), '(\w+)'\)", said[1]):
        return [row[column[2]] for row in rows(chart, column[1])]
    return value(chart, said[1])


def _number(chart: Chart, end: Any) -> float:
    if not isinstance(end, dict):
        return end
    counted = re.fullmatch(r"length\((\w+)\)", end["expr"])
    return len(value(chart, counted[1])) if counted else value(chart, end["expr"])
