"""The app as Streamlit runs it, without a browser: what tests of pages share."""

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


def tell(folder: Path, **told: object) -> None:
    """Let a model's folder say this of its training."""
    path = folder / "config.json"
    values = json.loads(path.read_text(encoding="utf-8"))
    values["training"] |= told
    path.write_text(json.dumps(values), encoding="utf-8")


def run(app: AppTest) -> AppTest:
    """Run the page once more; what it raises fails the test."""
    app.run()
    assert not app.exception, app.exception
    return app


def open_page(page: str, **link: str) -> AppTest:
    """Open a page by a link; a field that no page reads is an error of the test."""
    app = open_by_any_link(page, link)
    unread = unread_fields(app, link)
    assert not unread, f"{page} does not read {unread}"
    return app


def open_by_any_link(page: str, link: Mapping[str, str]) -> AppTest:
    """Open a page by a link whose fields may be nonsense."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=90)
    for name, value in link.items():
        app.query_params[name] = value
    return run(app.switch_page(page))


def link_of(app: AppTest) -> dict[str, str]:
    """What stands in the address; the test's own browser writes a value or a list of it."""
    values = app.query_params.items()
    return {name: value[0] if isinstance(value, list) else value for name, value in values}


def html_of(app: AppTest) -> str:
    """Everything written as HTML."""
    return "\n".join(element.proto.body for element in app.get("html"))


def text_of(app: AppTest) -> str:
    """Everything written as Markdown, captions too."""
    return "\n".join(element.value for element in [*app.markdown, *app.caption])


def tables_of(app: AppTest, *columns: str) -> list[pd.DataFrame]:
    """The data of all charts that have these columns, from top to bottom."""
    datasets = [data for chart in app.get("vega_lite_chart") for data in chart.proto.datasets]
    tables = [pa.ipc.open_stream(data.data.data).read_pandas() for data in datasets]
    return [table for table in tables if set(columns) <= set(table)]


def canvases(app: AppTest) -> list[UnknownElement]:
    """The components that draw; those of the frame, which are sent no bytes, are left out."""
    return [component for component in app.get("bidi_component") if component.proto.bytes]


def blob(proto) -> tuple[dict, bytes]:
    """Header and numbers of a canvas component."""
    length = int.from_bytes(proto.bytes[:4], "little")
    return json.loads(proto.bytes[4 : 4 + length]), proto.bytes[4 + length :]


def matrices_in(component: UnknownElement) -> list[tuple[dict, np.ndarray]]:
    """What is said of each matrix of a figure, and its numbers as the browser gets them."""
    header, data = blob(component.proto)
    numbers, found = np.frombuffer(data[: len(data) // 4 * 4], "<f4"), []
    for matrix in header.get("matrices", []):
        size = matrix["rows"] * matrix["columns"]
        found.append((matrix, numbers[:size].reshape(matrix["rows"], matrix["columns"])))
        numbers = numbers[size:]
    return found


def matrices_of(app: AppTest) -> list[tuple[dict, np.ndarray]]:
    """Those of all figures on the page."""
    return [found for component in canvases(app) for found in matrices_in(component)]


def ribbons_of(app: AppTest) -> tuple[dict, np.ndarray]:
    """What is said of the translation that is written on the start page, and its weights."""
    [component] = canvases(app)
    header, data = blob(component.proto)
    return header, np.frombuffer(data, dtype="<f4").reshape(header["rows"], -1)


def pictures_of(app: AppTest) -> dict[str, np.ndarray]:
    """Title to numbers of all matrices; of equal titles the last."""
    return {matrix["title"]: numbers for matrix, numbers in matrices_of(app)}


def say_it(app: AppTest, said: WidgetState) -> None:
    """Run the page with one widget saying this, the others what they said."""
    states = app._tree.get_widget_states()
    others = [state for state in states.widgets if state.id != said.id]
    del states.widgets[:]
    states.widgets.extend([*others, said])
    app._run(states)


def key_of(node) -> str:
    """The key that the app gave to a widget."""
    return node.proto.id.split("-", 2)[-1]
