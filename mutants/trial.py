"""One fault, shown to tests in a process of its own.

The process is forked from one in which PyTorch and the like are imported already. It works in a
copy of the project, so that no fault can stay in the files of the builder.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
import traceback
from pathlib import Path

import pytest
import torch

from mutants.faults import Fault

_OUTPUT = "output.txt"
_OPTIONS = ["-x", "-q", "-p", "no:cacheprovider", "--basetemp=tmp"]
_OPTIONS += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # some are imported before the fork


class _Only:
    """Tells pytest which tests to keep of the files that it has read.

    Given by name on the command line, one whose name a fault has changed would end all of them
    before the first is run, which is no sign that the fault was noticed.
    """

    def __init__(self, tests: list[str]) -> None:
        self._wanted = frozenset(tests)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [
            item
            for item in items
            if not self._wanted.isdisjoint((item.nodeid, item.nodeid.split("::")[0]))
        ]


def copy_project(root: Path, copy: Path) -> None:
    """Copy what git knows or would take, and what Python has compiled of it."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout
    for name in listed.splitlines():
        if (root / name).exists():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, copy / name)
    for folder in {(root / name).parent for name in listed.splitlines()}:
        if (compiled := folder / "__pycache__").is_dir():
            shutil.copytree(compiled, copy / compiled.relative_to(root))


def failure(copy: Path, tests: list[str], timeout: float) -> str:
    """Run tests on the copy as it is.

    Args:
        copy: of the project.
        tests: names or files of pytest's, at least one.
        timeout: seconds.

    Returns:
        The test that failed, ``"too slow"``, or nothing if none did.
    """
    child = os.fork()
    if child == 0:
        _child(copy, tests)
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        finished, status = os.waitpid(child, os.WNOHANG)
        if finished:
            return "" if status == 0 else _first_failure(copy)
        time.sleep(0.05)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "too slow"


def failure_by(fault: Fault, copy: Path, tests: list[str], timeout: float) -> str:
    """The same with a fault, which is taken out again."""
    file = copy / fault.path
    before = file.with_suffix(".sound")
    shutil.copy2(file, before)
    file.write_text(fault.source, encoding="utf-8")
    try:
        return failure(copy, tests, timeout)
    finally:
        before.replace(file)


def _first_failure(copy: Path) -> str:
    """Which test failed, as pytest says at its end; or what broke before any test could run."""
    lines = (copy / _OUTPUT).read_text("utf-8", errors="replace").splitlines()
    found = [line for line in lines if line.startswith(("FAILED ", "ERROR "))]
    return found[-1].split(" - ")[0] if found else "nothing can be imported"


def _child(copy: Path, tests: list[str]) -> None:
    """Become the process that runs the tests; never returns."""
    status = 1
    try:
        os.setsid()
        os.chdir(copy)
        out = os.open(_OUTPUT, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(out, 1)
        os.dup2(out, 2)
        sys.path.insert(0, str(copy))
        sys.dont_write_bytecode = True  # a later fault of the same second would look the same
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
        torch.set_num_threads(1)
        files = dict.fromkeys(test.split("::")[0] for test in tests)
        status = int(pytest.main([*_OPTIONS, *files], plugins=[_Only(tests)]))
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
