"""Each view in each language: its files hold what its figures draw; its texts are translated."""

import re
from html import unescape

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from tests.ui.app import blob, canvases, html_of, link_of, matrices_of, open_page, run
from tests.ui.drawn import Chart
from tests.ui.saved_files import Files, check_csv
from tests.ui.views import LINK, VIEWS, foreign
from ui.frame.page import PAGES
from ui.state.address import PANELS
from ui.text.translator import LANGUAGES, translator

Map = tuple[list[str], list[str], np.ndarray]  # names of rows, names of columns, numbers
KINDS = ("png", "svg", "pdf", "csv", "json", "copy", "print")
LISTS = (
    "experiments",
    "five_minutes",
    "many",
    "scaling",
)  # pages whose files list the cells of a picture
ADD_VIEW = "add a view to tests/ui/views.py"
SHOWN = ("y", "value", "score", "angle")  # columns with the numbers of a chart, not with positions


def _figures(files: Files) -> dict[str, dict]:
    """Return name -> content of the JSON file of each figure; check that its CSV says the same."""
    figures = {}
    for name in files.names():
        figures[name] = files.json(name)
        check_csv(files.csv(), files.tables())
    return figures


def _maps(figures: dict[str, dict]) -> list[Map]:
    """Return all tables as maps, with NaN where a cell is no number."""
    return [
        ([str(row[0]) for row in table["rows"]], table["columns"][1:], _numbers(table["rows"]))
        for figure in figures.values()
        for table in figure["tables"].values()
    ]


def _numbers(rows: list[list]) -> np.ndarray:
    def number(cell: object) -> float:
        is_number = isinstance(cell, int | float) or cell in ("-inf", "inf")
        return float(cell) if is_number else np.nan

    return np.array([[number(cell) for cell in row[1:]] for row in rows], dtype=np.float32)


def _all_numbers(maps: list[Map]) -> set[float]:
    return {number for _, _, cells in maps for number in cells.ravel().tolist()}


def _is_saved(
    maps: list[Map], rows: list[str], columns: list[str], cells: np.ndarray, error: float = 0
) -> bool:
    """Return whether one of the saved maps has these labels and these numbers."""
    return any(
        saved.shape == cells.shape
        and (not rows or list(rows) == saved_rows)
        and (not columns or list(columns) == saved_columns)
        and np.allclose(saved, cells, rtol=0, atol=error, equal_nan=True)
        for saved_rows, saved_columns, saved in maps
    )


def _check_pictures(app: AppTest, maps: list[Map], listed: set[float]) -> None:
    """Check that every matrix, small map and row of ribbons is in the files of a figure.

    ``listed`` are numbers that files may have in another order, which the tests of the pages check.
    """
    for matrix, numbers in matrices_of(app):
        assert _is_saved(maps, matrix["rowLabels"], matrix["columnLabels"], numbers) or (
            listed and listed.issuperset(numbers[np.isfinite(numbers)].tolist())
        )
    for header, data in (blob(component.proto) for component in canvases(app)):
        if "queries" in header:
            # the grid and the lines of heads send each weight as a share of the largest one
            small = np.frombuffer(data, "<u2").reshape(header["shape"]) / 65535 * header["limit"]
            empty = [(rows, columns, np.nan_to_num(cells)) for rows, columns, cells in maps]
            for cells in small.reshape(-1, *header["shape"][2:]):
                error = header["limit"] / 65535
                assert _is_saved(empty, header["queries"], header["keys"], cells, error)
        if "sources" in header:
            weights = np.frombuffer(data, "<f4").reshape(header["rows"], -1)
            assert _is_saved(maps, header["targets"], header["sources"], weights)


def _check_charts(app: AppTest, maps: list[Map]) -> None:
    """Check that every number of a chart is in a file."""
    saved = _all_numbers(maps)
    for chart in map(Chart, app.get("vega_lite_chart")):
        for table in chart.tables.values():
            for name in set(SHOWN) & set(table):
                numbers = table[name].to_numpy(np.float32)
                assert saved.issuperset(numbers[np.isfinite(numbers)].tolist()), name


def test_the_list_of_views_is_complete():
    met = {(view.page, view.link.get("show", "")) for view in VIEWS}
    assert {page for page, _ in met} == set(PAGES), ADD_VIEW
    panels = {view.link.get("panel", "map") for view in VIEWS if view.page == "explorer"}
    assert panels == set(PANELS), ADD_VIEW
    for page in PAGES:
        before = f"{page}.view_"
        keys = [key for key in translator("en").texts if key.startswith(before)]
        shows = {key.removeprefix(before) for key in keys[1:]}  # the first needs no link
        assert shows <= {show for name, show in met if name == page}, ADD_VIEW


@pytest.mark.parametrize("view", VIEWS, ids=[view.name for view in VIEWS])
def test_a_view_is_complete_in_both_languages(view, files):
    _, page, link, names = view
    app = open_page(PAGES[page], **LINK, **link)
    of_language = {}
    for language in LANGUAGES:
        app.query_params["lang"] = language
        files.write.clear()
        run(app)
        assert link_of(app)["lang"] == language
        assert f"<h1>{translator(language)(f'heading.{page}')}</h1>" in html_of(app)
        assert foreign(app, language) == []
        paragraphs = [part.value for part in (*app.caption, *app.markdown)]
        assert not any("。 " in paragraph for paragraph in paragraphs)  # no spaces in Chinese
        bars = re.findall(r'data-title="([^"]*)" data-name="([^"]*)"', html_of(app))
        assert {name for _, name in bars} == files.names()
        assert files.names() == names, f"name the figures of {view.name} in tests/ui/views.py"
        for title, _ in bars:
            assert title
            assert not re.search(r"[{*]", unescape(title))
            buttons = re.findall(r'data-take="(\w+)" aria-label="([^"]*)"', html_of(app))
            wanted = [f"{translator(language)(f'take.{kind}')} · {title}" for kind in KINDS]
            assert [label for _, label in buttons if label.endswith(f" · {title}")] == wanted
            copied = [kind for kind, label in buttons if label.endswith(f": {title}")]
            assert copied in (["caption"], ["caption", "python"])
        of_language[language] = _figures(files)
        maps = _maps(of_language[language])
        listed = _all_numbers(maps) if page in LISTS else set()
        _check_pictures(app, maps, listed)
        if "rotation" not in names:  # a chart draws angles within one turn
            _check_charts(app, maps)
    first, second = of_language.values()
    assert _descriptions(first) == _descriptions(second)
    for (_, _, a), (_, _, b) in zip(_maps(first), _maps(second), strict=True):
        np.testing.assert_array_equal(a, b)


def _descriptions(figures: dict[str, dict]) -> list[dict]:
    """Return the facts in the files, without sentences in the visitor's language."""
    return [
        {
            key: description
            for key, description in figure.items()
            if key != "tables" and not key.startswith("rows ")
        }
        for figure in figures.values()
    ]
