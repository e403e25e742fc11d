"""Which tests run a line of `model/`: measured once, with coverage's contexts."""

from __future__ import annotations

import ast
import json
from collections import Counter
from collections.abc import Set
from pathlib import Path

import pytest
from coverage import CoverageData


class _Seconds:
    """Told by pytest how long each test took; one that did not pass is left out."""

    def __init__(self) -> None:
        self.of: dict[str, float] = {}
        self.failed: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.of[report.nodeid] = self.of.get(report.nodeid, 0.0) + report.duration
        if not report.passed:
            self.failed.add(report.nodeid)


def measure(file: Path, folder: str, arguments: list[str]) -> None:
    """Run tests once and add what they ran to the map.

    Args:
        file: of the map; the seconds of the tests stand in a second file beside it.
        folder: whose lines are watched.
        arguments: for pytest: which tests.
    """
    seconds = _Seconds()
    settings = Path(__file__).with_name("coverage.ini")
    contexts = ["--cov-context=test", "--cov-append", "--cov-report=", f"--cov-config={settings}"]
    watched = [f"--cov={folder}", *contexts]
    pytest.main(["-q", "-p", "no:cacheprovider", *watched, *arguments], plugins=[seconds])
    known = json.loads(_seconds(file).read_text()) if _seconds(file).exists() else {}
    whole = tuple(f"{argument}::" for argument in arguments if argument.endswith(".py"))
    known = {test: spent for test, spent in known.items() if not test.startswith(whole)}
    known |= {test: spent for test, spent in seconds.of.items() if test not in seconds.failed}
    _seconds(file).write_text(json.dumps(known))


class Covering:
    """The tests that a fault should be shown to."""

    def __init__(self, file: Path) -> None:
        self._data = CoverageData(str(file))
        self._data.read()
        self._seconds: dict[str, float] = json.loads(_seconds(file).read_text())

    def tests(self, root: Path, path: str, line: int, budget: float) -> list[str]:
        """Those that run the statement, those that run anything of the module, their neighbours.

        What runs at an import (a constant, a default) belongs to no test, and what runs in a
        shared fixture only to the first test that needs it. So others of the module, and others
        in the same files, must speak for it. Quick ones come first, and one case of each test.

        Args:
            root: of the project.
            path: of the module, from there.
            line: in it, from 1.
            budget: seconds that they may take together; one is always chosen.
        """
        lines = self._data.contexts_by_lineno(path)
        statement = _statement(root / path, line)
        exact = {c for n, cs in lines.items() if n in statement for c in cs if c.endswith("|run")}
        near = {context for contexts in lines.values() for context in contexts}
        tiers = [{context.rpartition("|")[0] for context in contexts} for contexts in (exact, near)]
        files = {name.split("::")[0] for name in tiers[1]}
        tiers.append({name for name in self._seconds if name.split("::")[0] in files})
        chosen: dict[str, float] = {}
        for tier in tiers:
            for name in self._in_turn(tier & self._seconds.keys() - chosen.keys()):
                if not chosen or sum(chosen.values()) + self._seconds[name] <= budget:
                    chosen[name] = self._seconds[name]
        return list(chosen)

    def _in_turn(self, names: Set[str]) -> list[str]:
        """Quick ones first, but a second case of the same test only after the first of all."""
        cases: Counter[str] = Counter()
        turn: dict[str, int] = {}
        for name in sorted(names, key=lambda n: (self._seconds[n], n)):
            test = name.split("[")[0]
            turn[name] = cases[test]
            cases[test] += 1
        return sorted(turn, key=lambda n: (turn[n], self._seconds[n], n))


def _statement(module: Path, line: int) -> range:
    """The lines of the smallest statement around a line; of a function's head, its whole body."""
    tree = ast.parse(module.read_text("utf-8"))
    around = [
        range(node.lineno, node.end_lineno + 1)
        for node in ast.walk(tree)
        if isinstance(node, ast.stmt) and node.lineno <= line <= node.end_lineno
    ]
    return min(around, key=len, default=range(line, line + 1))


def _seconds(file: Path) -> Path:
    return file.with_name(f"{file.name}-seconds.json")  # a dot would make it one of coverage's
