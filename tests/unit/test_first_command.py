"""A machine whose Python lacks something: `make` says in one line what to run.

The machines are folders of fakes, and nothing else is on the path.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
OLD = 'case "$1" in --version) echo Python 3.9.2;; *) exit 1;; esac'
NOTED = 'echo "$@" >> "$(dirname "$0")/calls"'
WITHOUT_VENV = f'case "$2" in *ensurepip*) exit 1;; *) exec {sys.executable} "$@";; esac'
COMPLETE = f'case "$1" in -m) {NOTED};; *) exec {sys.executable} "$@";; esac'
VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"


def machine(folder: Path, **commands: str) -> dict[str, str]:
    """The environment of a machine that has just these commands."""
    for name, script in (commands | {"dirname": f'exec {shutil.which("dirname")} "$@"'}).items():
        path = folder / name
        path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        path.chmod(0o755)
    return {"PATH": str(folder), "HOME": str(folder)}


def run(environment: dict[str, str], *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


def make_venv(environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return run(environment, "/bin/sh", str(ROOT / "scripts" / "make_venv.sh"))


def test_the_newest_python_that_will_do_makes_the_environment(tmp_path):
    python = {"python3": OLD, "python3.13": WITHOUT_VENV, "python3.12": COMPLETE}
    made = make_venv(machine(tmp_path, **python))
    assert (made.returncode, made.stderr) == (0, "")
    assert (tmp_path / "calls").read_text() == "-m venv .venv\n"


@pytest.mark.parametrize(
    ("commands", "asked", "said"),
    [
        ({"python3": OLD}, {}, "3.11 or newer is needed, found: Python 3.9.2"),
        ({}, {}, "found: none"),
        ({"python3": WITHOUT_VENV}, {}, f"sudo apt-get install python{VERSION}-venv"),
        ({"mine": OLD, "python3": COMPLETE}, {"PYTHON": "mine"}, "found: Python 3.9.2"),
    ],
)
def test_what_is_missing_is_said_in_one_line(tmp_path, commands, asked, said):
    made = make_venv(machine(tmp_path, **commands) | asked)
    assert made.returncode == 1
    assert made.stderr.count("\n") == 1
    assert said in made.stderr
