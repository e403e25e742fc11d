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


def noticed(copy: Path, fault: Fault, tests: list[str], timeout: float) -> str:
    """Run the tests on a fault.

    Args:
        copy: of the project.
        fault: put into the copy, and taken out again.
        tests: at least one.
        timeout: seconds.

    Returns:
        The test that failed, ``"too slow"``, or nothing if none did.
    """
    file = copy / fault.path
    before = file.with_suffix(".sound")
    shutil.copy2(file, before)
    file.write_text(fault.source, encoding="utf-8")
    try:
        return _run(copy, tests, timeout)
    finally:
        before.replace(file)


def _run(copy: Path, tests: list[str], timeout: float) -> str:
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


def _first_failure(copy: Path) -> str:
    """Which test failed, or could not even be imported, as pytest says at its end."""
    text = (copy / _OUTPUT).read_text("utf-8", errors="replace")
    found = [line for line in text.splitlines() if line.startswith(("FAILED ", "ERROR "))]
    if not found:
        raise RuntimeError(f"the tests did not run to their end:\n{text[-3000:]}")
    return found[-1].split(" - ")[0]


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
        status = int(pytest.main([*_OPTIONS, *tests]))
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
