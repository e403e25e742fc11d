"""The marks, sizes and positions of each kind of chart are those of a short text file."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.charts.test_designs import DRAW
from tests.expected import check

HERE = Path(__file__).parent
# What is written in another way, and names and versions that Altair chooses.
NOT_LISTED = {"mark", "encoding", "data", "layer", "datasets", "params", "name", "$schema"}


@pytest.mark.parametrize("name", DRAW)
def test_a_chart_has_the_marks_sizes_and_positions_of_its_file(name: str) -> None:
    specification = DRAW[name](3).specification()
    lines = [*_layers(specification)]
    lines += [
        f"value {param['name']}: {_text(param['value'])}"
        for param in specification.get("params", [])
        if "value" in param
    ]
    lines += [
        f"table {table}: {_columns(rows.to_pylist())}"
        for table, rows in specification.get("datasets", {}).items()
    ]
    check(HERE / "expected" / f"{name.replace(' ', '_')}.txt", lines)


def _layers(part: Mapping[str, Any], indent: str = "") -> Iterator[str]:
    """Yield a line for a chart, and lines for its rows and for the charts in it."""
    rows = part.get("data", {}).get("values")
    facts = []
    if "mark" in part:
        facts.append(_text(part["mark"]))
    facts += [f"{key}: {_text(part[key])}" for key in sorted(part.keys() - NOT_LISTED)]
    if rows is None and "data" in part:
        facts.append(f"data: {part['data']['name']}")
    facts += [f"{channel}: {_text(value)}" for channel, value in part.get("encoding", {}).items()]
    yield indent + " │ ".join(facts)
    if rows:
        yield f"{indent}  rows: {_columns(rows)}"
    for layer in part.get("layer", []):
        yield from _layers(layer, f"{indent}  ")


def _columns(rows: list[dict[str, Any]]) -> str:
    names = list(rows[0]) if rows else []
    return "; ".join(f"{name} {_text([row.get(name) for row in rows])}" for name in names)


def _text(value: Any) -> str:
    """Write a value of a specification without the quotes and commas of JSON."""
    if isinstance(value, Mapping):
        return "(" + ", ".join(f"{key} {_text(inner)}" for key, inner in value.items()) + ")"
    if isinstance(value, list | tuple):
        return "[" + " ".join(map(_text, value)) + "]"
    if isinstance(value, float):
        return f"{value:.6g}"
    return str(value)
