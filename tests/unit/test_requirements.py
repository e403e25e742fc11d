"""What the app imports it also asks for, and does not count on others to bring it."""

from __future__ import annotations

import ast
import re
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).parents[2]
OURS = {"model", "ui", "pages", "app"}


def imported(*, unasked: bool) -> set[str]:
    """First names of all that the app imports and that is neither Python's nor its own.

    Args:
        unasked: as a module is imported; otherwise when a function needs it.
    """
    found: set[str] = set()
    for path in [ROOT / "app.py", *(p for room in OURS for p in (ROOT / room).rglob("*.py"))]:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        inside = {
            inner
            for function in ast.walk(tree)
            if isinstance(function, ast.FunctionDef)
            for inner in ast.walk(function)
        }
        for node in ast.walk(tree):
            if (node in inside) == unasked:
                continue
            if isinstance(node, ast.Import):
                found |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found.add(node.module.split(".")[0])
    return found - OURS - sys.stdlib_module_names


def asked_for(name: str) -> set[str]:
    """The libraries of a file of requirements, each with its version."""
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    lines = [line for line in lines if line and line[0] not in "#-"]
    asked = {line.split("==")[0].lower() for line in lines if re.fullmatch(r"[\w-]+==[\d.]+", line)}
    assert len(asked) == len(lines)
    return asked


def test_every_library_is_asked_for_by_its_version() -> None:
    asked = asked_for("requirements.txt")
    brought_by = packages_distributions()
    names = imported(unasked=True)
    assert {"torch", "streamlit", "pyarrow"} <= names
    for name in names:
        assert {d.lower() for d in brought_by[name]} & asked, name
    asked |= asked_for("requirements-extra.txt")
    names = imported(unasked=False)
    assert "sentencepiece" in names
    for name in names:
        assert {d.lower() for d in brought_by[name]} & asked, name
