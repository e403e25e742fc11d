"""What a page draws, read back with the names of its axes, and what is expected of it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import ArrayLike
from streamlit.testing.v1 import AppTest

from tests.tolerance import assert_same
from tests.ui.app import blob, canvases, run
from tests.ui.test_walks import picked, say_it
from ui.text.translator import translator

EN = translator("en")
KINDS = (
    "button_group",
    "select_slider",
    "slider",
    "number_input",
    "selectbox",
    "multiselect",
    "text_input",
)


def use(app: AppTest, choices: Mapping[str, object]) -> AppTest:
    """Use several controls, and run the page once: key -> value."""
    for key, value in choices.items():
        [control] = [one for kind in KINDS for one in getattr(app, kind) if one.key == key]
        control.set_value(value)
    return run(app)


def press(app: AppTest, key: str) -> AppTest:
    """Press a button."""
    app.button(key=key).click()
    return run(app)


def click(app: AppTest, key: str, pick: object) -> AppTest:
    """Click on a picture: what its JavaScript says then."""
    [node] = [one for one in app.get("bidi_component") if one.proto.id.endswith(f"-{key}")]
    say_it(app, picked(node, pick))
    assert not app.exception, app.exception
    return app


def link_of(app: AppTest) -> dict[str, str]:
    """The address; the test's own browser writes a value or a list of it."""
    values = app.query_params.items()
    return {name: value[0] if isinstance(value, list) else value for name, value in values}


class Chart:
    """A chart of Vega: its tables, and what it says that their columns are."""

    def __init__(self, element) -> None:
        self.spec = json.loads(element.proto.spec)
        self.tables = {
            data.name: pa.ipc.open_stream(data.data.data).read_pandas()
            for data in element.proto.datasets
        }
        self.values = {one["name"]: one.get("value") for one in self.spec["params"]}
        first = self.spec.get("layer", [self.spec])[0]
        self.encoding = first.get("encoding") or self.spec["encoding"]

    @property
    def titles(self) -> dict[str, str]:
        """Column -> title; that its axis is called the same is for tests/charts."""
        said = self.encoding.get("tooltip", [])
        return {one["field"]: one["title"] for one in said}

    def series(self, table: str, name: str, value: str) -> dict[str, np.ndarray]:
        """The values of each name, in the order in which they are drawn."""
        groups = self.tables[table].groupby(name, sort=False)
        return {key: rows[value].to_numpy() for key, rows in groups}

    def map(self) -> np.ndarray:
        """The cells of a map; NaN where none is drawn."""
        cells = self.tables["cells"]
        found = np.full((len(self.values["queries"]), len(self.values["keys"])), np.nan)
        found[cells["top"], cells["left"]] = cells["weight"]
        return found


def charts(app: AppTest, *, of: str = "") -> list[Chart]:
    """All charts, from top to bottom; or those that have a table of this name."""
    found = map(Chart, app.get("vega_lite_chart"))
    return [chart for chart in found if not of or of in chart.tables]


def matrices(app: AppTest, key: str) -> list[tuple[dict, np.ndarray]]:
    """The matrices of one figure: what is said of each, and its numbers."""
    [component] = [one for one in canvases(app) if one.proto.id.endswith(f"-{key}")]
    header, data = blob(component.proto)
    numbers, found = np.frombuffer(data, "<f4"), []
    for matrix in header["matrices"]:
        shape = matrix["rows"], matrix["columns"]
        found.append((matrix, numbers[: shape[0] * shape[1]].reshape(shape)))
        numbers = numbers[shape[0] * shape[1] :]
    return found


def data_of(app: AppTest, component: str) -> list[dict]:
    """What the browser gets of all components of this name that take JSON."""
    found = [one.proto for one in app.get("bidi_component")]
    return [json.loads(one.json) for one in found if one.component_name.endswith(component)]


def expect_matrices(
    app: AppTest,
    key: str,
    values: Mapping[str, ArrayLike],
    *,
    rows: Sequence[str] = (),
    columns: Sequence[str] = (),
    largest: float | None = None,
) -> None:
    """These titles in this order, with these numbers; all with the same labels."""
    found = matrices(app, key)
    assert [said["title"] for said, _ in found] == list(values)
    for (said, shown), expected in zip(found, values.values(), strict=True):
        assert_same(shown, np.asarray(expected, np.float32), largest=largest)
        assert (said["rowLabels"], said["columnLabels"]) == ([*rows], [*columns])


def expect_curves(
    chart: Chart,
    curves: Mapping[str, ArrayLike],
    x: ArrayLike,
    titles: tuple[str, str],
    *,
    log: str = "",
    mark: ArrayLike | None = None,
) -> None:
    """These curves over the same x; the titles of x and y by their keys; which axes are log."""
    shown = chart.series("curves", "curve", "y")
    assert [*shown] == [*curves]
    for name, expected in curves.items():
        assert_same(shown[name], np.asarray(expected, np.float64))
        assert_same(chart.series("curves", "curve", "x")[name], np.asarray(x, np.float64))
    assert (chart.titles["x"], chart.titles["y"]) == tuple(map(said, titles))
    logs = [axis for axis in "xy" if chart.encoding[axis]["scale"].get("type") == "log"]
    assert "".join(logs) == log
    marked = chart.tables.get("mark", pd.DataFrame({"x": []}))["x"].tolist()
    assert marked == np.atleast_1d([] if mark is None else mark).tolist()


def expect_columns(
    chart: Chart, values: Mapping[str, ArrayLike], labels: Sequence[str], titles: tuple[str, str]
) -> None:
    """These columns over these labels; the titles of both axes by their keys."""
    shown = chart.series("columns", "name", "value")
    assert [*shown] == [*values]
    for name, expected in values.items():
        assert_same(shown[name], np.asarray(expected, np.float64))
    assert chart.values["labels"] == [*labels]
    assert (chart.titles["label"], chart.titles["value"]) == tuple(map(said, titles))


def expect_map(
    chart: Chart,
    values: ArrayLike,
    queries: Sequence[str],
    keys: Sequence[str],
    *,
    weight: str = "map.weights",
    rows: str = "map.query",
    largest: float | None = None,
) -> None:
    """This map, NaN where nothing is drawn, with these tokens and titles."""
    assert (chart.values["queries"], chart.values["keys"]) == ([*queries], [*keys])
    assert_same(chart.map(), values, largest=largest)
    assert [chart.titles[one] for one in ("query", "weight")] == [said(rows), said(weight)]


def causal(weights: np.ndarray) -> np.ndarray:
    """NaN right of the diagonal, where a map of the decoder draws nothing."""
    return np.where(np.tri(*weights.shape, dtype=bool), weights, np.nan)


def said(key: str) -> str:
    """The English text of a key; what is none is the text itself."""
    return EN.texts.get(key, key)
