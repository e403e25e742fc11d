"""Read and use a page as its visitor does: its text, figures and controls."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Mapping, Sequence
from functools import partial
from html import unescape

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import ArrayLike
from streamlit.testing.v1 import AppTest

from tests.links import unread_fields
from tests.tolerance import assert_same
from tests.ui.app import (
    blob,
    canvases,
    html_of,
    link_of,
    matrices_in,
    matrices_of,
    open_by_any_link,
    pictures_of,
    run,
    set_widget,
    text_of,
)
from tests.visitor import clicked
from ui.frame.page import PAGES
from ui.server import queue
from ui.server.queue import Job, WorkQueue, work_queue
from ui.text.translator import translator

EN = translator("en")
SENTENCE, TARGET = "I see a cat.", "Je vois un chat."
OPTIONS = "explorer.options"
CONTROLS = {
    "button_group",
    "multiselect",
    "number_input",
    "select_slider",
    "selectbox",
    "slider",
    "text_area",
    "text_input",
}


class Page:
    """A page that was opened by a link.

    Args:
        name: a key of ``PAGES``.
        show: name of the view. The default is the first view.
        any_link: whether the link may have fields that the page does not read.
        link: fields of the address.
    """

    def __init__(self, name: str, show: str = "", *, any_link: bool = False, **link: str) -> None:
        opened = {"explorer": {OPTIONS: "True"}}.get(name, {}) | ({"show": show} if show else {})
        self.app: AppTest = open_by_any_link(PAGES[name], opened | link)
        # The box of options exists only on pages that have options.
        unread = unread_fields(self.app, link)
        assert any_link or not unread, f"the page {name} does not read {unread}"

    @property
    def html(self) -> str:
        return html_of(self.app)

    @property
    def text(self) -> str:
        return text_of(self.app)

    @property
    def everything(self) -> str:
        """Return all text of the page, also in pictures and charts."""
        drawn = [canvas.proto.bytes.decode("utf-8", "replace") for canvas in canvases(self.app)]
        charts = [chart.proto.spec for chart in self.app.get("vega_lite_chart")]
        return "\n".join([self.html, self.text, *drawn, *charts])

    @property
    def link(self) -> dict[str, str]:
        """Return the fields of the address, without the field that opens the options."""
        return {name: value for name, value in link_of(self.app).items() if name != OPTIONS}

    @property
    def headers(self) -> list[str]:
        return [header.value for header in self.app.header]

    @property
    def links(self) -> list[str]:
        """Return the labels of all links to other pages."""
        return [link.proto.label for link in self.app.get("page_link")]

    @property
    def metrics(self) -> list[str]:
        return [metric.value for metric in self.app.metric]

    def measured(self, *keys: str) -> list[str]:
        """Return the large numbers, and check their labels by key."""
        assert [metric.label for metric in self.app.metric] == [*map(english, keys)]
        return self.metrics

    @property
    def pictures(self) -> dict[str, np.ndarray]:
        """Title -> numbers, of all matrices."""
        return pictures_of(self.app)

    def control(self, key: str):
        [widget] = [
            element
            for kind in CONTROLS
            for element in getattr(self.app, kind)
            if element.key == key
        ]
        return widget

    def use(self, choices: Mapping[str, object]) -> Page:
        """Set several controls (key -> value), and run the page once."""
        for key, value in choices.items():
            self.control(key).set_value(value)
        return self.run()

    def press(self, key: str) -> Page:
        self.app.button(key=key).click()
        return self.run()

    def click(self, key: str, value: object, event: str = "click") -> Page:
        """Send the event that a click on a picture sends."""
        set_widget(self.app, clicked(self.component(key).proto.id, event, value))
        assert not self.app.exception, self.app.exception
        return self

    def run(self) -> Page:
        run(self.app)
        return self

    def finished(self) -> Page:
        """Wait until the job of the page has ended, and run the page again."""
        with pytest.MonkeyPatch.context() as patch:
            # in a test, no browser asks for the page every second
            patch.setattr(queue, "SECONDS_UNTIL_LEFT", 60)
            all_is_over(work_queue())
        return self.run().run()  # a second time, because the first run changes the buttons

    def go(self, name: str) -> Page:
        """Open another page from the menu."""
        self.app.query_params.clear()
        run(self.app.switch_page(PAGES[name]))
        return self

    def charts(self, *, table: str = "") -> list[Chart]:
        """Return all charts, or those with a table of this name, from top to bottom."""
        charts = map(Chart, self.app.get("vega_lite_chart"))
        return [chart for chart in charts if not table or table in chart.tables]

    @property
    def maps(self) -> list[Map]:
        """Return all large maps, from top to bottom."""
        return [
            Map(description, numbers)
            for description, numbers in matrices_of(self.app)
            if description["large"]
        ]

    def matrices(self, key: str) -> list[tuple[dict, np.ndarray]]:
        """Return the description and the numbers of each matrix of a figure."""
        return matrices_in(self.component(key))

    def matrices_are(
        self,
        key: str,
        values: Mapping[str, ArrayLike],
        *,
        rows: Sequence[str] = (),
        columns: Sequence[str] = (),
        largest: float | None = None,
    ) -> None:
        """Check the matrices of a figure.

        Args:
            key: key of the figure.
            values: title -> numbers, in the order of the matrices.
            rows: the row labels of every matrix.
            columns: the column labels of every matrix.
            largest: the largest number of the computation, for its rounding.
        """
        matrices = self.matrices(key)
        assert [description["title"] for description, _ in matrices] == list(values)
        for (description, shown), expected in zip(matrices, values.values(), strict=True):
            assert_same(shown, np.asarray(expected, np.float32), largest=largest)
            assert description["rowLabels"] == [*rows]
            assert description["columnLabels"] == [*columns]

    def grid(self, key: str) -> tuple[dict, np.ndarray]:
        """Return the description of a grid of all heads, and their maps."""
        header, data = blob(self.component(key).proto)
        return header, np.frombuffer(data, "<u2").reshape(header["shape"]) / 65535

    def data(self, component: str) -> list[dict]:
        """Return the JSON data of all components of this name."""
        protos = [proto.proto for proto in self.app.get("bidi_component")]
        return [
            json.loads(proto.json) for proto in protos if proto.component_name.endswith(component)
        ]

    def component(self, key: str):
        [element] = [o for o in self.app.get("bidi_component") if o.proto.id.endswith(f"-{key}")]
        return element


def lines_of(page: Page, figure: str) -> str:
    """Return the lines of Python that a page shows below a figure; empty for none."""
    bars = page.html.split('<details class="figure-bar"')
    [bar] = [bar for bar in bars if re.match(rf'[^>]* data-name="{figure}"', bar)]
    blocks = re.findall(r'<pre class="python"[^>]*>(.*?)</pre>', bar, flags=re.DOTALL)
    return unescape(blocks[0]) if blocks else ""


def opens(name: str, **link: str) -> partial[Page]:
    """Return a function that opens a page with this link and the usual sentence."""
    return partial(Page, name, **{"sentence": SENTENCE} | link)


class Chart:
    """A Vega chart: its tables, and the titles of their columns."""

    def __init__(self, element) -> None:
        self.spec = json.loads(element.proto.spec)
        self.tables = {
            data.name: pa.ipc.open_stream(data.data.data).read_pandas()
            for data in element.proto.datasets
        }
        self.values = {
            parameter["name"]: parameter.get("value") for parameter in self.spec["params"]
        }
        first = self.spec.get("layer", [self.spec])[0]
        self.encoding = first.get("encoding") or self.spec["encoding"]

    @property
    def titles(self) -> dict[str, str]:
        """Column -> title. The tests in tests/charts compare it with the title of the axis."""
        return {channel["field"]: channel["title"] for channel in self.encoding.get("tooltip", [])}

    def series(self, table: str, name: str, value: str) -> dict[str, np.ndarray]:
        """Return the values of each name, in the order of drawing."""
        groups = self.tables[table].groupby(name, sort=False)
        return {key: rows[value].to_numpy() for key, rows in groups}

    def bars(self) -> dict[str, float]:
        return self.tables["bars"].set_index("name")["value"].to_dict()

    def curves_are(
        self,
        curves: Mapping[str, ArrayLike],
        x: ArrayLike,
        titles: tuple[str, str],
        *,
        log: str = "",
        mark: Sequence[float] = (),
        largest: float | None = None,
    ) -> None:
        """Check the curves of the chart.

        Args:
            curves: name -> y values.
            x: the x values of every curve.
            titles: keys of the titles of x and y.
            log: the logarithmic axes, such as "xy".
            mark: x values of the marks.
            largest: the largest number of the computation, for its rounding.
        """
        shown, places = (self.series("curves", "curve", axis) for axis in "yx")
        assert [*shown] == [*curves]
        for name, expected in curves.items():
            assert_same(shown[name], np.asarray(expected, np.float64), largest=largest)
            assert_same(places[name], np.asarray(x, np.float64))
        assert [self.titles[axis] for axis in "xy"] == [*map(english, titles)]
        logs = [axis for axis in "xy" if self.encoding[axis]["scale"].get("type") == "log"]
        assert "".join(logs) == log
        marked = self.tables["mark"]["x"].tolist() if "mark" in self.tables else []
        assert marked == [*mark]

    def columns_are(
        self, values: Mapping[str, ArrayLike], labels: Sequence[str], titles: tuple[str, str]
    ) -> None:
        """Check the columns of the chart.

        Args:
            values: name -> numbers.
            labels: names of the columns.
            titles: keys of the titles of both axes.
        """
        shown = self.series("columns", "name", "value")
        assert [*shown] == [*values]
        for name, expected in values.items():
            assert_same(shown[name], np.asarray(expected, np.float64))
        assert self.values["labels"] == [*labels]
        assert [self.titles[field] for field in ("label", "value")] == [*map(english, titles)]


class Map:
    """A large map: its numbers (NaN if a cell is not drawn) and its description."""

    def __init__(self, description: dict, numbers: np.ndarray) -> None:
        self.description = description
        self.numbers = numbers
        self.queries = description["rowLabels"]
        self.keys = description["columnLabels"]

    def is_(
        self,
        values: ArrayLike,
        queries: Sequence[str],
        keys: Sequence[str],
        *,
        title: str = "map.weights",
        largest: float | None = None,
    ) -> None:
        """Check the map.

        Args:
            values: the numbers; NaN where no cell is drawn.
            queries: the row labels.
            keys: the column labels.
            title: key of the title.
            largest: the largest number of the computation, for its rounding.
        """
        assert (self.queries, self.keys) == ([*queries], [*keys])
        assert_same(self.numbers, np.asarray(values), largest=largest)
        assert self.description["title"] == english(title)


def all_is_over(bench: WorkQueue) -> None:
    """Wait until all jobs that are in the queue now have ended."""
    over = threading.Event()
    bench.submit(Job(lambda: iter([over.set()])))
    assert over.wait(60)


def causal(weights: np.ndarray) -> np.ndarray:
    """Set NaN right of the diagonal, where a map of the decoder draws nothing."""
    return np.where(np.tri(*weights.shape, dtype=bool), weights, np.nan)


def english(key: str) -> str:
    """Return the English text of a key, or the key itself if it has no text."""
    return EN.texts.get(key, key)
