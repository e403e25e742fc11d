"""Rules for the whole source: imports, no pickles, frozen classes, docstrings."""

import ast
import importlib
import pkgutil
import re
import sys
from importlib.metadata import packages_distributions, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import model

ROOT = Path(__file__).parents[2]
ROOMS = ("model", "ui", "pages")
FILES = [ROOT / "app.py", *(path for room in ROOMS for path in ROOT.glob(f"{room}/**/*.py"))]
MODULES = [module.name for module in pkgutil.walk_packages(model.__path__, "model.")]


def test_every_package_says_what_it_contains():
    for folder in {path.parent for path in FILES if path.parent.name not in ("pages", ROOT.name)}:
        assert (folder / "__init__.py").read_text(encoding="utf-8").startswith('"""'), folder


def unexplained(path: Path) -> list[str]:
    """Return functions with three or more parameters and no ``Args:``, wherever they are defined.

    The class may explain the parameters of ``__init__``. An override may point to the method that
    explains them: "see ``Class.method``".
    """
    names = []
    tree = ast.parse(path.read_text(encoding="utf-8"))
    of_class = {
        id(node): ast.get_docstring(each) or ""
        for each in ast.walk(tree)
        if isinstance(each, ast.ClassDef)
        for node in each.body
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        parameters = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        docstring = ast.get_docstring(node) or ""
        if node.name == "__init__":
            docstring += of_class.get(id(node), "")
        explained = "Args:" in docstring or "see ``" in docstring
        own = [each for each in parameters if each.arg not in ("self", "cls", "tr")]
        if len(own) >= 3 and not explained:
            names.append(f"{path.relative_to(ROOT)}:{node.lineno} {node.name}")
    return names


def test_functions_with_three_or_more_parameters_explain_them():
    assert [name for path in FILES for name in unexplained(path)] == []


# Libraries


def imported(*, at_once: bool) -> set[str]:
    """Return the libraries that the app imports, at its start or in a function."""
    libraries: set[str] = set()
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import | ast.ImportFrom) and (node.col_offset == 0) == at_once:
                whole = [node.module] if isinstance(node, ast.ImportFrom) else []
                names = whole or [alias.name for alias in node.names]
                libraries |= {name.split(".")[0] for name in names if name}
    return libraries - {*ROOMS, "app"} - sys.stdlib_module_names


def asked_for(name: str) -> set[str]:
    """Return the names of the libraries in a requirements file. Each must have a version."""
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    lines = [line.partition(";")[0] for line in lines if line and line[0] not in "#-"]
    asked = {line.split("==")[0].lower() for line in lines if re.fullmatch(r"[\w-]+==[\d.]+", line)}
    assert len(asked) == len(lines)
    return asked


def test_every_imported_library_is_required_with_a_version():
    brought_by = {name: {d.lower() for d in by} for name, by in packages_distributions().items()}
    asked, always = asked_for("requirements.txt"), imported(at_once=True)
    assert {"torch", "streamlit", "pyarrow"} <= always
    assert [name for name in always if not brought_by[name] & asked] == []
    asked |= asked_for("requirements-hub.txt")  # imported only when a model of the Hub is opened
    sometimes = imported(at_once=False)
    assert [name for name in sometimes if not brought_by.get(name, {name}) & asked] == []


def test_every_indirectly_required_library_has_a_fixed_version():
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [Requirement(line) for line in lines if not line.startswith("#")]
    assert all(re.fullmatch(r"==[\w.]+", str(pin.specifier)) for pin in pins)
    versions = {canonicalize_name(pin.name): str(pin.specifier) for pin in pins}
    assert len(versions) == len(pins)
    waiting = set()
    names = ("", "-hub", "-serve", "-dev")
    for name in (f"requirements{suffix}.txt" for suffix in names):
        for line in (ROOT / name).read_text(encoding="utf-8").splitlines():
            if line and line[0] not in "#-":
                asked = Requirement(line)
                assert versions[canonicalize_name(asked.name)] == str(asked.specifier)
                waiting.add(canonicalize_name(asked.name))
    seen = set()
    installed_lists = packages_distributions().values()
    names_installed = {canonicalize_name(name) for names in installed_lists for name in names}
    while waiting:  # libraries that are installed here only require libraries with a version
        seen |= waiting
        installed = waiting & names_installed
        needed = [Requirement(text) for name in installed for text in requires(name) or []]
        used = [
            requirement
            for requirement in needed
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""})
        ]
        waiting = {canonicalize_name(requirement.name) for requirement in used} - seen
        assert waiting <= versions.keys(), waiting - versions.keys()


# Code that reads pickles, which could run foreign code. ``torch.load`` with weights_only makes only
# tensors, so it is allowed.
UNPICKLES = re.compile(
    r"^\s*(?:import|from)\s+(?:pickle|cPickle|dill|cloudpickle|joblib|shelve|marshal)\b"
    r"|allow_pickle|pd\.read_pickle|hub\.load|from torch import .*\bload\b"
    r"|torch\.load\((?![^()]*weights_only=True)",
    re.MULTILINE,
)


def test_nothing_is_unpickled():
    assert len(FILES) > 100
    assert [path for path in FILES if UNPICKLES.search(path.read_text(encoding="utf-8"))] == []
    bad = ("torch.load(p)", "def f():\n    import pickle", "np.load(p, allow_pickle=True)")
    assert all(UNPICKLES.search(line) for line in bad)
    assert not UNPICKLES.search("torch.load(path, map_location=cpu, weights_only=True)")


# Objects that threads share must not be changeable.
OF_ONE_RUN = {"FusedCache", "RecurrentCache", "Progress"}


@pytest.mark.parametrize("name", MODULES)
def test_results_and_settings_are_frozen(name):
    members = vars(importlib.import_module(name)).values()
    own = {c for c in members if isinstance(c, type) and c.__module__ == name}
    kinds = ("__dataclass_params__", "__struct_config__")
    settings = {c.__name__: getattr(c, kind) for c in own for kind in kinds if hasattr(c, kind)}
    assert {name for name, parameters in settings.items() if not parameters.frozen} <= OF_ONE_RUN


OTHER_ROOMS = ("ui", "benchmarks", "deploy", "scripts")  # a benchmark needs more than the library
FILES_OF_OTHERS = [path for room in OTHER_ROOMS for path in ROOT.glob(f"{room}/**/*.py")]
# The first is filled while a figure is drawn, the others while a benchmark measures.
FILLED_LATER = {"Figure", "Class", "Round"}


def test_classes_of_pages_and_benchmarks_are_frozen():
    changeable = {
        node.name
        for path in FILES_OF_OTHERS
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
        for decorator in map(ast.unparse, node.decorator_list)
        if decorator.startswith("dataclass") and "frozen=True" not in decorator
    }
    assert changeable == FILLED_LATER


# Commands


COMMANDS = [
    path
    for path in sorted({*FILES, *FILES_OF_OTHERS})
    if "def main(" in path.read_text(encoding="utf-8") and not path.name.startswith("test_")
]
RUNS_MAIN = re.compile(
    r'^if __name__ == "__main__":\n    (?:sys\.exit\()?main\((?:\*?sys\.argv\[1:?\])?\)+\n\Z',
    re.MULTILINE,
)


def test_a_file_with_a_main_function_runs_it_as_a_command_and_not_when_it_is_imported():
    assert len(COMMANDS) > 25
    wrong = [path for path in COMMANDS if not RUNS_MAIN.search(path.read_text(encoding="utf-8"))]
    assert wrong == []
    # a result that tells of a failure must become the exit status of the command
    silent = [
        path
        for path in COMMANDS
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and node.name == "main"
        if node.returns is not None and ast.unparse(node.returns) != "None"
        if "sys.exit(main(" not in path.read_text(encoding="utf-8")
    ]
    assert silent == []
