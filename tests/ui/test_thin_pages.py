"""Arrows point one way, and pages stay thin."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def _imports(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module or "")
    return names


def _attributes(path: Path) -> set[str]:
    tree = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return {node.attr for node in tree if isinstance(node, ast.Attribute)}


@pytest.mark.parametrize("path", list(ROOT.glob("ui/**/*.py")), ids=lambda path: path.stem)
def test_ui_knows_no_page(path):
    assert not {name.split(".")[0] for name in _imports(path)} & {"pages", "app"}


@pytest.mark.parametrize("path", [ROOT / "app.py", *ROOT.glob("pages/*.py")], ids=lambda p: p.name)
def test_pages_are_thin_and_calculate_nothing(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 150
    assert not _imports(path) & {"numpy", "torch", "altair", "plotly"}


CONTROLS = {
    "segmented_control", "pills", "radio", "selectbox", "multiselect", "slider", "select_slider",
    "number_input", "text_input", "text_area", "checkbox", "toggle", "feedback", "date_input",
    "time_input", "color_picker", "data_editor", "chat_input", "file_uploader",
}  # fmt: skip
SOURCES = [ROOT / "app.py", *ROOT.glob("pages/*.py"), *ROOT.glob("ui/**/*.py")]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_controls_are_drawn_in_one_room(path):
    """Whose values are possible, by construction; ``ui/frame/controls.py`` says how."""
    if path == ROOT / "ui" / "frame" / "controls.py":
        assert _attributes(path) & CONTROLS
    else:
        assert not _attributes(path) & CONTROLS


CHARTS = {
    "altair_chart", "vega_lite_chart", "plotly_chart",
    "line_chart", "area_chart", "bar_chart", "scatter_chart", "dataframe",
}  # fmt: skip


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_charts_and_tables_are_handed_over_in_one_place(path):
    """Charts ready made: others build and check them with Altair each time they draw. Tables
    without the word None."""
    ready = (
        {"vega_lite_chart", "plotly_chart", "dataframe"}
        if path == ROOT / "ui" / "frame" / "picture.py"
        else set()
    )
    assert _attributes(path) & CHARTS == ready


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_figure_begins_and_ends_in_one_place(path):
    """Everything that draws asks for the figure that it is part of; who makes one gets its bar."""
    tree = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    called = {ast.unparse(node.func) for node in tree if isinstance(node, ast.Call)}
    made = called & {"Figure", "st.download_button"}
    home = path.parts[-2:] == _HOME
    assert made - _NO_FIGURE.get(path.parts[-2:], set()) == (_BOTH if home else set())


_HOME = ("export", "figure.py")
_BOTH = {"Figure", "st.download_button"}
_NO_FIGURE = {  # what these give away is no picture: a whole page, a list of sentences or heads
    ("explorer", "saved_page.py"): {"st.download_button"},
    ("many", "results.py"): {"st.download_button"},
    ("heads", "table.py"): {"st.download_button"},
}
