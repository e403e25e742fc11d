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
from pathlib import Path

import pytest
import torch

from mutants.faults import Fault


def copy_project(root: Path, copy: Path) -> None:
    """Copy what git knows or would take, without the rest."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout
    for name in listed.splitlines():
        if (root / name).exists():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, copy / name)


def noticed(copy: Path, fault: Fault, tests: list[str], timeout: float) -> str:
    """Run the tests on a fault.

    Args:
        copy: of the project.
        fault: put into the copy, and taken out again.
        tests: at least one.
        timeout: seconds.

    Returns:
        ``"noticed"``, ``"too slow"`` or ``""``.
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
            return "" if status == 0 else "noticed"
        time.sleep(0.05)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "too slow"


def _child(copy: Path, tests: list[str]) -> None:
    """Become the process that runs the tests; never returns."""
    status = 1
    try:
        os.setsid()
        os.chdir(copy)
        out = os.open("output.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(out, 1)
        os.dup2(out, 2)
        sys.path.insert(0, str(copy))
        sys.dont_write_bytecode = True  # a later fault of the same second would look the same
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
        torch.set_num_threads(1)
        status = int(pytest.main(["-x", "-q", "-p", "no:cacheprovider", "--basetemp=tmp", *tests]))
    finally:
        sys.stdout.flush()
        os._exit(status)
