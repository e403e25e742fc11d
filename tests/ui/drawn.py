"""A page as its visitor sees it: what it draws and says, and what its controls do."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from functools import partial

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
    say_it,
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
    """A page that somebody has opened by a link.

    Args:
        name: a key of ``PAGES``.
        show: the name of the view; none is the first.
        any_link: let the link have fields that the page does not read.
        link: what its address says.
    """

    def __init__(self, name: str, show: str = "", *, any_link: bool = False, **link: str) -> None:
        opened = {"explorer": {OPTIONS: "True"}}.get(name, {}) | ({"show": show} if show else {})
        self.app: AppTest = open_by_any_link(PAGES[name], opened | link)
        # The box of options is drawn only where there are some.
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
        """All that is written, in pictures and charts too."""
        drawn = [canvas.proto.bytes.decode("utf-8", "replace") for canvas in canvases(self.app)]
        charts = [chart.proto.spec for chart in self.app.get("vega_lite_chart")]
        return "\n".join([self.html, self.text, *drawn, *charts])

    @property
    def link(self) -> dict[str, str]:
        """The address, but for the box of options, which is open."""
        return {name: value for name, value in link_of(self.app).items() if name != OPTIONS}

    @property
    def headers(self) -> list[str]:
        return [header.value for header in self.app.header]

    @property
    def links(self) -> list[str]:
        """What is written on all that leads to another page."""
        return [link.proto.label for link in self.app.get("page_link")]

    @property
    def metrics(self) -> list[str]:
        return [metric.value for metric in self.app.metric]

    def measured(self, *keys: str) -> list[str]:
        """The large numbers, which have these labels, by their keys."""
        assert [metric.label for metric in self.app.metric] == [*map(said, keys)]
        return self.metrics

    @property
    def pictures(self) -> dict[str, np.ndarray]:
        """Title to numbers of all matrices."""
        return pictures_of(self.app)

    def control(self, key: str):
        [found] = [one for kind in CONTROLS for one in getattr(self.app, kind) if one.key == key]
        return found

    def use(self, choices: Mapping[str, object]) -> Page:
        """Set several controls, and run the page once: key -> value."""
        for key, value in choices.items():
            self.control(key).set_value(value)
        return self.run()

    def press(self, key: str) -> Page:
        self.app.button(key=key).click()
        return self.run()

    def click(self, key: str, value: object, event: str = "click") -> Page:
        """Click on a picture: what its JavaScript says then."""
        say_it(self.app, clicked(self.component(key).proto.id, event, value))
        assert not self.app.exception, self.app.exception
        return self

    def run(self) -> Page:
        run(self.app)
        return self

    def finished(self) -> Page:
        """Wait for the work that the page has started, and look at it."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(queue, "SECONDS_UNTIL_LEFT", 60)  # no browser asks for it every second
            all_is_over(work_queue())
        return self.run().run()  # once more: the buttons change with the first

    def go(self, name: str) -> Page:
        """Another page, by the menu."""
        self.app.query_params.clear()
        run(self.app.switch_page(PAGES[name]))
        return self

    def charts(self, *, of: str = "") -> list[Chart]:
        """All charts, from top to bottom; or those that have a table of this name."""
        found = map(Chart, self.app.get("vega_lite_chart"))
        return [chart for chart in found if not of or of in chart.tables]

    @property
    def maps(self) -> list[Map]:
        """All large maps, from top to bottom."""
        return [Map(said, numbers) for said, numbers in matrices_of(self.app) if said["large"]]

    def matrices(self, key: str) -> list[tuple[dict, np.ndarray]]:
        """The matrices of one figure: what is said of each, and its numbers."""
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
        """These titles in this order, with these numbers; all with the same labels."""
        found = self.matrices(key)
        assert [said["title"] for said, _ in found] == list(values)
        for (said, shown), expected in zip(found, values.values(), strict=True):
            assert_same(shown, np.asarray(expected, np.float32), largest=largest)
            assert (said["rowLabels"], said["columnLabels"]) == ([*rows], [*columns])

    def grid(self, key: str) -> tuple[dict, np.ndarray]:
        """All heads at a glance: what is said of them, and their maps."""
        header, data = blob(self.component(key).proto)
        return header, np.frombuffer(data, "<u2").reshape(header["shape"]) / 65535

    def data(self, component: str) -> list[dict]:
        """What the browser gets of all components of this name that take JSON."""
        found = [one.proto for one in self.app.get("bidi_component")]
        return [json.loads(one.json) for one in found if one.component_name.endswith(component)]

    def component(self, key: str):
        [found] = [o for o in self.app.get("bidi_component") if o.proto.id.endswith(f"-{key}")]
        return found


def opens(name: str, **link: str) -> partial[Page]:
    """Opens a page with this link; with the sentence of most tests if it has no other."""
    return partial(Page, name, **{"sentence": SENTENCE} | link)


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
        return {one["field"]: one["title"] for one in self.encoding.get("tooltip", [])}

    def series(self, table: str, name: str, value: str) -> dict[str, np.ndarray]:
        """The values of each name, in the order in which they are drawn."""
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
        """These curves over the same x; the titles of x and y by their keys; which axes are log."""
        shown, places = (self.series("curves", "curve", axis) for axis in "yx")
        assert [*shown] == [*curves]
        for name, expected in curves.items():
            assert_same(shown[name], np.asarray(expected, np.float64), largest=largest)
            assert_same(places[name], np.asarray(x, np.float64))
        assert [self.titles[axis] for axis in "xy"] == [*map(said, titles)]
        logs = [axis for axis in "xy" if self.encoding[axis]["scale"].get("type") == "log"]
        assert "".join(logs) == log
        marked = self.tables["mark"]["x"].tolist() if "mark" in self.tables else []
        assert marked == [*mark]

    def columns_are(
        self, values: Mapping[str, ArrayLike], labels: Sequence[str], titles: tuple[str, str]
    ) -> None:
        """These columns over these labels; the titles of both axes by their keys."""
        shown = self.series("columns", "name", "value")
        assert [*shown] == [*values]
        for name, expected in values.items():
            assert_same(shown[name], np.asarray(expected, np.float64))
        assert self.values["labels"] == [*labels]
        assert [self.titles[one] for one in ("label", "value")] == [*map(said, titles)]


class Map:
    """A large map: its numbers, NaN where none is drawn, and what is said of it."""

    def __init__(self, said: dict, numbers: np.ndarray) -> None:
        self.said, self.numbers = said, numbers
        self.queries, self.keys = said["rowLabels"], said["columnLabels"]

    def is_(
        self,
        values: ArrayLike,
        queries: Sequence[str],
        keys: Sequence[str],
        *,
        title: str = "map.weights",
        largest: float | None = None,
    ) -> None:
        """These numbers, NaN where nothing is drawn; what rows, columns and cells are called."""
        assert (self.queries, self.keys) == ([*queries], [*keys])
        assert_same(self.numbers, np.asarray(values), largest=largest)
        assert self.said["title"] == said(title)


def all_is_over(bench: WorkQueue) -> None:
    """Wait until whoever stands in the queue now has had his turn."""
    over = threading.Event()
    bench.submit(Job(lambda: iter([over.set()])))
    assert over.wait(60)


def causal(weights: np.ndarray) -> np.ndarray:
    """NaN right of the diagonal, where a map of the decoder draws nothing."""
    return np.where(np.tri(*weights.shape, dtype=bool), weights, np.nan)


def said(key: str) -> str:
    """The English text of a key; what is none is the text itself."""
    return EN.texts.get(key, key)
