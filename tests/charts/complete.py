"""A chart as the browser gets it, and found valid by Altair."""

import json
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
    """The ends of a scale; an end that is an expression is a value."""
    ends = encoding["scale"]["domain"]
    return [value(chart, end["expr"]) if isinstance(end, dict) else end for end in ends]
