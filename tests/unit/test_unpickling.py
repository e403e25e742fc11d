"""Nothing is ever unpickled: a file may come from anybody.

But a model that somebody converts may lie in a file of ``torch.save``. It is read by PyTorch's
reader for weights only, which makes tensors of it and calls nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ("model", "ui", "pages", "tests", "benchmarks")
OURS = [ROOT / "app.py", *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))]
UNPICKLERS = {"pickle", "cPickle", "dill", "cloudpickle", "joblib", "shelve", "marshal"}


def imported(source: str) -> set[str]:
    """First names of all modules that a source text imports, wherever it does."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module)
    return {name.split(".")[0] for name in names}


def _only_weights(call: ast.Call) -> bool:
    """Whether it says so itself, by name, with a constant."""
    return any(k.arg == "weights_only" and ast.unparse(k.value) == "True" for k in call.keywords)


def unpickling(source: str) -> Iterator[str]:
    """Calls that unpickle though they do not look like it."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            call = ast.unparse(node.func)
            allows = any(k.arg == "allow_pickle" for k in node.keywords)
            if call == "torch.load" and _only_weights(node):
                continue
            if call in ("torch.load", "torch.hub.load", "pd.read_pickle") or allows:
                yield call
        elif isinstance(node, ast.ImportFrom) and node.module == "torch":
            yield from (f"torch.{alias.name}" for alias in node.names if alias.name == "load")


def test_nothing_is_unpickled() -> None:
    for path in OURS:
        source = path.read_text(encoding="utf-8")
        where = path.relative_to(ROOT).as_posix()
        if where != "tests/unit/test_checkpoint.py":  # writes a pickle, to see it refused
            assert not imported(source) & UNPICKLERS, where
        assert not list(unpickling(source)), where


def test_these_tests_can_fail() -> None:
    assert {path.name for path in OURS} > {"app.py", "attention.py", "test_unpickling.py"}
    assert imported("def f():\n    from streamlit.web import cli") == {"streamlit"}
    assert imported("import os, plotly.express as px") == {"os", "plotly"}
    assert list(unpickling("x = torch.load(p)\nnp.load(p, allow_pickle=True)")) == [
        "torch.load",
        "np.load",
    ]
    assert list(unpickling("from torch import load")) == ["torch.load"]
    assert list(unpickling("torch.load(p, weights_only=False)")) == ["torch.load"]
    assert list(unpickling("torch.load(p, weights_only=sure)")) == ["torch.load"]
    assert not list(unpickling("torch.load(p, weights_only=True)"))
