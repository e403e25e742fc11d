"""A chart as the browser gets it, checked by Altair."""

import json
from typing import Any

import altair as alt
from altair.utils.schemapi import validate_jsonschema

from ui.charts.chart import Chart

_SCHEMA = alt.load_schema()


def complete(chart: Chart) -> dict[str, Any]:
    """Check the specification with Altair, and return it without the rows of its tables."""
    without_rows = {**chart.specification(), "datasets": {}}
    specification = json.loads(json.dumps(without_rows, allow_nan=False))
    validate_jsonschema(specification, {"$ref": "#/definitions/TopLevelSpec"}, _SCHEMA)
    return specification


def rows(chart: Chart, table: str) -> list[dict[str, Any]]:
    """Return the rows of one of its tables."""
    return list(chart.specification()["datasets"][table].to_pylist())


def value(chart: Chart, name: str) -> Any:
    """Return the value of the chart's parameter with this name."""
    params = chart.specification()["params"]
    [named] = [param["value"] for param in params if param["name"] == name]
    return named


def domain(chart: Chart, encoding: dict[str, Any]) -> list[float]:
    """Return the two ends of a scale. If an end is an expression, the value that it names."""
    ends = encoding["scale"]["domain"]
    return [value(chart, end["expr"]) if isinstance(end, dict) else end for end in ends]
