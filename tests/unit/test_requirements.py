"""What the app imports it also asks for, and does not count on others to bring it."""

import ast
import re
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).parents[2]
OURS = ("model", "ui", "pages", "app")


def imported() -> dict[bool, set[str]]:
    """First names of all that the app imports and that is neither Python's nor its own.

    Returns:
        Under True as a module is imported, under False when a function needs it.
    """
    found: dict[bool, set[str]] = {True: set(), False: set()}
    files = [ROOT / "app.py", *(path for room in OURS for path in ROOT.glob(f"{room}/**/*.py"))]
    for path in files:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import | ast.ImportFrom):
                whole = [node.module] if isinstance(node, ast.ImportFrom) else []
                names = whole or [alias.name for alias in node.names]
                found[node.col_offset == 0] |= {name.split(".")[0] for name in names if name}
    return {how: names - set(OURS) - sys.stdlib_module_names for how, names in found.items()}


def asked_for(name: str) -> set[str]:
    """The libraries of a file of requirements, each with its version."""
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    lines = [line for line in lines if line and line[0] not in "#-"]
    asked = {line.split("==")[0].lower() for line in lines if re.fullmatch(r"[\w-]+==[\d.]+", line)}
    assert len(asked) == len(lines)
    return asked


def test_every_library_is_asked_for_by_its_version():
    brought_by = {name: {d.lower() for d in by} for name, by in packages_distributions().items()}
    asked = asked_for("requirements.txt")
    found = imported()
    always, sometimes = found[True], found[False]
    assert {"torch", "streamlit", "pyarrow"} <= always
    assert [name for name in always if not brought_by[name] & asked] == []
    asked |= asked_for("requirements-extra.txt")
    assert "sentencepiece" in sometimes
    assert [name for name in sometimes if not brought_by.get(name, {name}) & asked] == []
