"""Run the app without a browser: shared functions of the tests of pages."""

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import UnknownElement

from tests.links import unread_fields

ROOT = Path(__file__).parents[2]


def record_training(folder: Path, **facts: object) -> None:
    """Change facts about the training in a model's folder."""
    path = folder / "config.json"
    values = json.loads(path.read_text(encoding="utf-8"))
    values["training"] |= facts
    path.write_text(json.dumps(values), encoding="utf-8")


def run(app: AppTest) -> AppTest:
    """Run the page once more. An exception on the page fails the test."""
    app.run()
    assert not app.exception, app.exception
    return app


def open_page(page: str, **link: str) -> AppTest:
    """Open a page by a link. A field that the page does not read fails the test."""
    app = open_by_any_link(page, link)
    unread = unread_fields(app, link)
    assert not unread, f"{page} does not read {unread}"
    return app


def open_by_any_link(page: str, link: Mapping[str, str]) -> AppTest:
    """Open a page by a link. Its fields may have any names and values."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=90)
    for name, value in link.items():
        app.query_params[name] = value
    return run(app.switch_page(page))


def link_of(app: AppTest) -> dict[str, str]:
    """Return the fields of the address. AppTest gives each as a text or as a list with one text."""
    values = app.query_params.items()
    return {name: value[0] if isinstance(value, list) else value for name, value in values}


def html_of(app: AppTest) -> str:
    """Return all text that is written as HTML."""
    return "\n".join(element.proto.body for element in app.get("html"))


def text_of(app: AppTest) -> str:
    """Return all text that is written as Markdown, with captions."""
    return "\n".join(element.value for element in [*app.markdown, *app.caption])


def tables_of(app: AppTest, *columns: str) -> list[pd.DataFrame]:
    """Return the tables of all charts that have these columns, from top to bottom."""
    datasets = [data for chart in app.get("vega_lite_chart") for data in chart.proto.datasets]
    tables = [pa.ipc.open_stream(data.data.data).read_pandas() for data in datasets]
    return [table for table in tables if set(columns) <= set(table)]


def canvases(app: AppTest) -> list[UnknownElement]:
    """Return the components with a canvas.

    Components of the frame have no data and are left out.
    """
    return [component for component in app.get("bidi_component") if component.proto.bytes]


def blob(proto) -> tuple[dict, bytes]:
    """Return the header of a canvas component, and its numbers."""
    length = int.from_bytes(proto.bytes[:4], "little")
    return json.loads(proto.bytes[4 : 4 + length]), proto.bytes[4 + length :]


def matrices_in(component: UnknownElement) -> list[tuple[dict, np.ndarray]]:
    """Return the description and the numbers of each matrix, in the form that the browser gets."""
    header, data = blob(component.proto)
    numbers = np.frombuffer(data[: len(data) // 4 * 4], "<f4")
    matrices = []
    for matrix in header.get("matrices", []):
        size = matrix["rows"] * matrix["columns"]
        matrices.append((matrix, numbers[:size].reshape(matrix["rows"], matrix["columns"])))
        numbers = numbers[size:]
    return matrices


def matrices_of(app: AppTest) -> list[tuple[dict, np.ndarray]]:
    """Return the matrices of all figures on the page."""
    return [matrix for component in canvases(app) for matrix in matrices_in(component)]


def ribbons_of(app: AppTest) -> tuple[dict, np.ndarray]:
    """Return the header of the ribbons on the start page, and the weights of the ribbons."""
    [component] = canvases(app)
    header, data = blob(component.proto)
    return header, np.frombuffer(data, dtype="<f4").reshape(header["rows"], -1)


def pictures_of(app: AppTest) -> dict[str, np.ndarray]:
    """Return title -> numbers of all matrices. If titles are equal, the last matrix counts."""
    return {matrix["title"]: numbers for matrix, numbers in matrices_of(app)}


def set_widget(app: AppTest, new_state: WidgetState) -> None:
    """Run the page with a new state of one widget. The other widgets keep theirs."""
    states = app._tree.get_widget_states()
    others = [state for state in states.widgets if state.id != new_state.id]
    del states.widgets[:]
    states.widgets.extend([*others, new_state])
    app._run(states)


def key_of(node) -> str:
    """Return the key that the app gave to a widget."""
    return node.proto.id.split("-", 2)[-1]
