"""The timing and the saved results of benchmarks."""

import json
import os
import platform
from datetime import UTC, datetime, timedelta

import pytest
import torch

from benchmarks import figures


def test_functions_are_timed_in_turn_and_the_first_two_calls_do_not_count():
    order: list[str] = []
    functions = {name: lambda name=name: order.append(name) for name in "ab"}
    seconds = figures.in_turns(functions, 3)
    assert order == ["a", "b"] * 5
    assert {name: len(values) for name, values in seconds.items()} == {"a": 3, "b": 3}


def test_results_are_saved_in_milliseconds_with_a_description_of_the_machine(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(figures, "FOLDER", tmp_path / "runs" / "saved")
    figures.report("walk", {"a step": [7.0]})
    figures.report("walk", {"a step": [0.1, 0.3, 0.2]})  # replaces the results from before
    assert "a step" in capsys.readouterr().out
    saved = json.loads((tmp_path / "runs" / "saved" / "walk.json").read_text(encoding="utf-8"))
    expected = {"median": 200.0, "lower": 150.0, "upper": 250.0, "p95": 290.0, "runs": 3}
    assert saved["milliseconds"]["a step"] == expected
    machine = saved["machine"]
    assert machine["cores"] == os.cpu_count()
    assert machine["torch"] == torch.__version__
    assert machine["python"] == platform.python_version()
    now = datetime.now(UTC)
    assert now - timedelta(minutes=2) < datetime.fromisoformat(machine["measured"]) <= now


def test_what_takes_longer_than_promised_is_named_by_its_median():
    seconds = {"click": [0.1, 0.2, 9.0], "key": [0.3, 0.3, 0.3], "page": [1.1, 1.1, 0.1]}
    promised = {"click": 0.2, "key": 0.29, "page": 1.1}
    assert figures.longer_than_promised(seconds, promised) == ["key"]


@pytest.mark.parametrize(("n", "expected"), [(21, 19.0), (101, 95.0)])
def test_of_the_first_whole_numbers_the_95th_percentile_is_known(n, expected):
    assert figures.p95(list(range(n))) == pytest.approx(expected)


def test_the_table_is_in_milliseconds_and_as_wide_as_its_longest_name(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(figures, "FOLDER", tmp_path)
    figures.report("walk", {"go": [0.1, 0.3, 0.2], "come back": [2.0]})
    assert capsys.readouterr().out.splitlines() == [
        "walk        median   lower   upper quartile     p95, milliseconds",
        "go           200.0    150.0    250.0    290.0",
        "come back   2000.0   2000.0   2000.0   2000.0",
    ]


def test_saved_milliseconds_have_two_decimals(tmp_path, monkeypatch):
    monkeypatch.setattr(figures, "FOLDER", tmp_path)
    figures.report("walk", {"go": [0.123_456_789]})
    saved = json.loads((tmp_path / "walk.json").read_text(encoding="utf-8"))
    values = dict.fromkeys(("median", "lower", "upper", "p95"), 123.46)
    assert saved["milliseconds"]["go"] == values | {"runs": 1}


def test_the_processor_is_named_as_linux_names_it(tmp_path, monkeypatch):
    file = tmp_path / "cpuinfo"
    file.write_text("processor\t: 0\nmodel name\t: Fast: 3 GHz\nmodel name\t: Slow\n", "utf-8")
    monkeypatch.setattr(figures, "Path", lambda _: file)
    assert figures.machine()["processor"] == "Fast"
    file.write_text("processor\t: 0\n", "utf-8")  # some processors have no name
    assert figures.machine()["processor"] == ""
    file.unlink()  # without Linux
    assert figures.machine()["processor"] == platform.processor()
