"""What the app imports it also asks for, and does not count on others to bring it."""

from __future__ import annotations

import ast
import re
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).parents[2]
OURS = {"model", "ui", "pages", "app"}


def imported() -> set[str]:
    """First names of all that the app imports and that is neither Python's nor its own."""
    found: set[str] = set()
    for path in [ROOT / "app.py", *(p for room in OURS for p in (ROOT / room).rglob("*.py"))]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found.add(node.module.split(".")[0])
    return found - OURS - sys.stdlib_module_names


def test_every_library_is_asked_for_by_its_version() -> None:
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    asked = {line.split("==")[0].lower() for line in lines if re.fullmatch(r"[\w-]+==[\d.]+", line)}
    assert len(asked) == len(lines)
    brought_by = packages_distributions()
    names = imported()
    assert {"torch", "streamlit", "pyarrow"} <= names
    for name in names:
        assert {d.lower() for d in brought_by[name]} & asked, name
