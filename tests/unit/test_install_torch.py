"""Which build of PyTorch the first command installs, with pip and the network as fakes."""

import importlib.util
import socket
from pathlib import Path
from unittest.mock import Mock

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "install_torch.py"


def loaded():
    spec = importlib.util.spec_from_file_location("install_torch", SCRIPT)
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


@pytest.mark.parametrize(
    ("machine", "fails", "of_cpu", "said"),
    [
        ({}, [0], [True], "the CPU build, about 200 MB"),
        ({"_has_driver": True}, [0], [False], "about 3 GB"),
        ({"_reachable": False}, [0], [False], "about 3 GB"),
        ({"platform": "darwin"}, [0], [False], "about 100 MB"),  # it has one build
        ({}, [1, 0], [True, False], "after all"),  # what cannot be had gives way to the default
    ],
)
def test_which_build_is_installed(machine, fails, of_cpu, said, monkeypatch, capsys):
    script, run = loaded(), Mock(side_effect=[Mock(returncode=status) for status in fails])
    found = {"platform": "linux", "_has_driver": False, "_reachable": True} | machine
    monkeypatch.setattr(script.subprocess, "run", run)
    monkeypatch.setattr(script.sys, "platform", found.pop("platform"))
    for name, value in found.items():
        monkeypatch.setattr(script, name, lambda value=value: value)
    assert script.main("torch==1.2.3") == 0
    asked = [call.args[0] for call in run.call_args_list]
    assert [{"--no-deps", "--index-url", script.INDEX} < set(words) for words in asked] == of_cpu
    assert ["--index-url" in words for words in asked] == of_cpu
    assert {words[-1] for words in asked} == {"torch==1.2.3"}
    assert said in capsys.readouterr().out


def test_an_index_that_does_not_answer_is_not_waited_for(monkeypatch):
    script = loaded()
    assert script.PATIENCE <= 10  # seconds
    monkeypatch.setattr(script, "PATIENCE", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setattr(script, "INDEX", f"http://127.0.0.1:{silent.getsockname()[1]}")
        assert not script._reachable()
