"""The timing and the saved results of benchmarks."""

import json

from benchmarks import figures


def test_all_functions_take_turns_and_the_first_two_calls_do_not_count():
    order: list[str] = []
    functions = {name: lambda name=name: order.append(name) for name in "ab"}
    seconds = figures.in_turns(functions, 3)
    assert order == ["a", "b"] * 5
    assert {name: len(values) for name, values in seconds.items()} == {"a": 3, "b": 3}


def test_figures_are_saved_in_milliseconds_with_their_machine(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(figures, "FOLDER", tmp_path / "saved")
    figures.report("walk", {"a step": [0.1, 0.3, 0.2]})
    assert "a step" in capsys.readouterr().out
    saved = json.loads((tmp_path / "saved" / "walk.json").read_text(encoding="utf-8"))
    expected = {"median": 200.0, "lower": 150.0, "upper": 250.0, "p95": 290.0, "runs": 3}
    assert saved["milliseconds"]["a step"] == expected
    assert saved["machine"]["cores"] >= 1
