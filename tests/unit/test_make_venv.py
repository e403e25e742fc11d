"""The first command on machines whose Python lacks something, and the build of PyTorch.

The machines are folders with imitated commands; no other commands are on the path.
"""

import importlib.util
import shutil
import socket
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from unittest.mock import Mock

import pytest

ROOT = Path(__file__).parents[2]
OLD = 'case "$1" in --version) echo Python 3.9.2;; *) exit 1;; esac'
# A complete Python that is too new: only the check of its version fails.
TOO_NEW = 'case "$*" in --version) echo Python 3.15.0;; *"(3, 15)"*) exit 1;; esac'
NOTED = 'echo "$@" >> "$(dirname "$0")/calls"'
WITHOUT_VENV = f'case "$2" in *ensurepip*) exit 1;; *) exec {sys.executable} "$@";; esac'
COMPLETE = f'case "$1" in -m) {NOTED};; *) exec {sys.executable} "$@";; esac'
VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"


def machine(folder: Path, **commands: str) -> dict[str, str]:
    """Return the environment of a machine that has only these commands."""
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


def test_the_newest_suitable_python_makes_the_environment(tmp_path):
    python = {"python3": OLD, "python3.13": WITHOUT_VENV, "python3.12": COMPLETE}
    made = make_venv(machine(tmp_path, **python))
    assert (made.returncode, made.stderr) == (0, "")
    assert made.stdout.startswith("Creating .venv with Python 3.")
    assert made.stdout.endswith(" (python3.12).\n")
    assert (tmp_path / "calls").read_text() == "-m venv --upgrade-deps .venv\n"


@pytest.mark.parametrize("name", ["python3.14", "python3.11"])
def test_if_a_python_has_no_wheels_another_one_is_used(name, tmp_path):
    made = make_venv(machine(tmp_path, **{"python3": TOO_NEW, name: COMPLETE}))
    assert (made.returncode, made.stderr) == (0, "")
    assert f"({name})" in made.stdout


@pytest.mark.parametrize(
    ("commands", "asked", "message"),
    [
        ({"python3": OLD}, {}, "3.11 to 3.14 is needed, found: Python 3.9.2 (python3). "),
        ({"python3": TOO_NEW}, {}, "3.11 to 3.14 is needed, found: Python 3.15.0 (python3). "),
        (
            {"python3": TOO_NEW, "python3.12": OLD},
            {},
            "found: Python 3.15.0 (python3), Python 3.9.2 (python3.12). ",
        ),
        ({}, {}, "found: none"),
        ({"python3": WITHOUT_VENV}, {}, f"sudo apt-get install python{VERSION}-venv"),
        ({"mine": OLD, "python3": COMPLETE}, {"PYTHON": "mine"}, "found: Python 3.9.2 (mine). "),
    ],
)
def test_a_missing_program_is_named_in_one_line(tmp_path, commands, asked, message):
    made = make_venv(machine(tmp_path, **commands) | asked)
    assert made.returncode == 1
    assert made.stderr.count("\n") == 1
    assert message in made.stderr


SCRIPT = Path(__file__).parents[2] / "scripts" / "install_torch.py"


class Index(BaseHTTPRequestHandler):
    """A package index that has PyTorch at one address, and answers 404 at any other."""

    def do_HEAD(self) -> None:
        self.send_response(200 if self.path == "/whl/cpu/torch/" else 404)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Write nothing."""


def loaded():
    spec = importlib.util.spec_from_file_location("install_torch", SCRIPT)
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


OFFICIAL = "https://download.pytorch.org/whl/cpu"
OF_CPU = "PyTorch: the CPU build, about 200 MB: no NVIDIA driver is here."
LARGE = "PyTorch: the default build, about 3 GB with CUDA libraries"


@pytest.mark.parametrize(
    ("machine", "fails", "of_cpu", "messages"),
    [
        ({}, [0], [True], [OF_CPU]),
        ({"_has_driver": True}, [0], [False], [f"{LARGE}, for the NVIDIA driver here."]),
        ({"_reachable": False}, [0], [False], [f"{LARGE}: {OFFICIAL} cannot be reached."]),
        # macOS has only one build
        ({"platform": "darwin"}, [0], [False], ["PyTorch: the default build, about 100 MB."]),
        # if the CPU build cannot be installed, the default build is used
        (
            {},
            [1, 0],
            [True, False],
            [OF_CPU, "PyTorch: the default build after all, about 3 GB with CUDA libraries."],
        ),
    ],
)
def test_the_right_build_of_pytorch_is_installed(
    machine, fails, of_cpu, messages, monkeypatch, capsys
):
    monkeypatch.delenv("TORCH_INDEX", raising=False)
    script, run = loaded(), Mock(side_effect=[Mock(returncode=status) for status in fails])
    attributes = {"platform": "linux", "_has_driver": False, "_reachable": True} | machine
    monkeypatch.setattr(script.subprocess, "run", run)
    monkeypatch.setattr(script.sys, "platform", attributes.pop("platform"))
    for name, value in attributes.items():
        monkeypatch.setattr(script, name, lambda value=value: value)
    assert script.main("torch==1.2.3") == 0
    asked = [call.args[0] for call in run.call_args_list]
    assert [{"--no-deps", "--index-url", script.INDEX} < set(words) for words in asked] == of_cpu
    assert ["--index-url" in words for words in asked] == of_cpu
    assert {words[-1] for words in asked} == {"torch==1.2.3"}
    for words in asked:
        assert words[words.index("--constraint") + 1] == str(ROOT / "constraints.txt")
    assert capsys.readouterr().out.splitlines() == messages


def test_the_status_is_that_of_the_last_installation(monkeypatch):
    script = loaded()
    monkeypatch.setattr(script, "_PIP", [sys.executable, "-c", "raise SystemExit(3)"])
    monkeypatch.setattr(script.sys, "platform", "darwin")
    assert script.main("torch==1.2.3") == 3


def test_the_command_does_not_wait_for_an_index_that_does_not_answer(monkeypatch):
    script = loaded()
    assert script.PATIENCE <= 10  # seconds
    monkeypatch.setattr(script, "PATIENCE", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setattr(script, "INDEX", f"http://127.0.0.1:{silent.getsockname()[1]}")
        assert not script._reachable()


def test_an_index_is_reachable_if_it_answers(monkeypatch):
    script = loaded()
    with ThreadingHTTPServer(("127.0.0.1", 0), Index) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        monkeypatch.setattr(script, "INDEX", f"{address}/whl/cpu")
        assert script._reachable()
        monkeypatch.setattr(script, "INDEX", f"{address}/elsewhere")
        assert not script._reachable()
        server.shutdown()


def test_a_driver_is_known_by_its_folder_or_its_command(tmp_path, monkeypatch):
    script = loaded()
    folder = tmp_path / "driver"
    monkeypatch.setattr(script, "Path", {"/proc/driver/nvidia": folder}.__getitem__)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert script._has_driver() is False
    folder.mkdir()
    assert script._has_driver() is True
    folder.rmdir()
    (tmp_path / "nvidia-smi").touch(mode=0o755)
    assert script._has_driver() is True
