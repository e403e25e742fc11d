"""Which build of PyTorch the first command installs, with pip and the network as fakes."""

import importlib.util
import socket
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "install_torch.py"
CPU = ["--no-deps", "--index-url"]


def loaded() -> ModuleType:
    spec = importlib.util.spec_from_file_location("install_torch", SCRIPT)
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script on Linux without a driver, whose index answers; pip's calls are in ``asked``."""
    found = loaded()
    found.asked, found.pip = [], [0, 0]

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        found.asked.append(command)
        return subprocess.CompletedProcess(command, found.pip[len(found.asked) - 1])

    monkeypatch.setattr(found.subprocess, "run", run)
    monkeypatch.setattr(found.sys, "platform", "linux")
    monkeypatch.setattr(found, "_has_driver", lambda: False)
    monkeypatch.setattr(found, "_reachable", lambda: True)
    return found


def test_without_a_driver_it_is_the_cpu_build_alone(script, capsys):
    assert script.main("torch==1.2.3") == 0
    [asked] = script.asked
    assert asked[-1] == "torch==1.2.3"
    assert set(CPU) < set(asked)
    assert asked[asked.index("--index-url") + 1] == script.INDEX
    assert "the CPU build, about 200 MB" in capsys.readouterr().out


@pytest.mark.parametrize(("name", "value"), [("_has_driver", True), ("_reachable", False)])
def test_with_a_driver_or_without_the_index_it_is_the_default(
    script, monkeypatch, capsys, name, value
):
    monkeypatch.setattr(script, name, lambda: value)
    assert script.main("torch==1.2.3") == 0
    assert not set(CPU) & set(script.asked[0])
    assert "about 3 GB" in capsys.readouterr().out


def test_a_build_that_cannot_be_had_gives_way_to_the_default(script, capsys):
    script.pip = [1, 0]
    assert script.main("torch==1.2.3") == 0
    first, second = script.asked
    assert set(CPU) < set(first)
    assert not set(CPU) & set(second)
    assert capsys.readouterr().out.count("\n") == 2


def test_another_system_has_one_build(script, monkeypatch):
    monkeypatch.setattr(script.sys, "platform", "darwin")
    script.main("torch==1.2.3")
    assert not set(CPU) & set(script.asked[0])


def test_an_index_that_does_not_answer_is_not_waited_for(monkeypatch):
    script = loaded()
    assert script.PATIENCE <= 10  # seconds
    monkeypatch.setattr(script, "PATIENCE", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setattr(script, "INDEX", f"http://127.0.0.1:{silent.getsockname()[1]}")
        assert not script._reachable()
