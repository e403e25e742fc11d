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


@pytest.mark.parametrize("path", list(ROOT.glob("ui/charts/*.py")), ids=lambda path: path.name)
def test_charts_are_pure(path):
    assert not {name.split(".")[0] for name in _imports(path)} & {"torch", "streamlit", "model"}


@pytest.mark.parametrize("path", list(ROOT.glob("ui/**/*.py")), ids=lambda path: path.stem)
def test_ui_knows_no_page(path):
    assert not {name.split(".")[0] for name in _imports(path)} & {"pages", "app"}


@pytest.mark.parametrize("path", [ROOT / "app.py", *ROOT.glob("pages/*.py")], ids=lambda p: p.name)
def test_pages_are_thin_and_calculate_nothing(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 150
    assert not _imports(path) & {"numpy", "torch", "altair", "plotly"}
