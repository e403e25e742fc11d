"""What is done in one place only: controls, charts, tables, files. Pages stay thin."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CONTROLS = {
    "segmented_control", "pills", "radio", "selectbox", "multiselect", "slider", "select_slider",
    "number_input", "text_input", "text_area", "checkbox", "toggle", "feedback", "date_input",
    "time_input", "color_picker", "data_editor", "chat_input", "file_uploader",
}  # fmt: skip
CHARTS = {
    "altair_chart", "vega_lite_chart", "plotly_chart",
    "line_chart", "area_chart", "bar_chart", "scatter_chart", "dataframe",
}  # fmt: skip
PLOTLY = {"charts/helix", "charts/token_paths"}  # whose figures are others
_FIGURES = {"export/figure", "explorer/saved_page", "many/results", "heads/table"}


def _users(names: set[str]) -> set[str]:
    """The modules that use one of these functions."""
    return {name for name, tree in _sources() if names & _functions(tree)}


def _sources() -> Iterator[tuple[str, ast.Module]]:
    for path in [ROOT / "app.py", *ROOT.glob("pages/*.py"), *ROOT.glob("ui/**/*.py")]:
        name = str(path.relative_to(ROOT).with_suffix("")).removeprefix("ui/")
        yield name, ast.parse(path.read_text(encoding="utf-8"))


def _functions(tree: ast.Module) -> set[str]:
    """Attributes of modules, and names that are called."""
    nodes = list(ast.walk(tree))
    called = {ast.unparse(node.func) for node in nodes if isinstance(node, ast.Call)}
    return {node.attr for node in nodes if isinstance(node, ast.Attribute)} | called


@pytest.mark.parametrize(
    ("names", "homes"),
    [
        (CONTROLS, {"frame/controls"}),  # whose values are possible, by construction
        (CHARTS, {"frame/picture"}),  # ready made: others build and check them each time
        ({"Figure"}, {"export/figure", *PLOTLY}),  # who makes one of ours gets its bar
        ({"download_button"}, _FIGURES),  # a figure's numbers, a whole page, lists
    ],
)
def test_what_is_done_in_one_place(names, homes):
    assert _users(names) == homes


def test_pages_calculate_nothing():
    for path in [ROOT / "app.py", *ROOT.glob("pages/*.py")]:
        text = path.read_text(encoding="utf-8")
        assert not {"numpy", "torch", "altair", "plotly"} & set(text.split()), path
