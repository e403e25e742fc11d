"""What benchmarks measure with: all ways in turn, and what most stay below."""

import json

from benchmarks import figures


def test_all_ways_take_turns_and_the_first_two_do_not_count():
    order: list[str] = []
    found = figures.in_turns({name: lambda name=name: order.append(name) for name in "ab"}, 3)
    assert order == ["a", "b"] * 5
    assert {name: len(seconds) for name, seconds in found.items()} == {"a": 3, "b": 3}


def test_figures_are_kept_in_milliseconds_with_their_machine(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(figures, "FOLDER", tmp_path / "kept")
    figures.tell("walk", {"a step": [0.1, 0.3, 0.2]})
    assert "a step" in capsys.readouterr().out
    kept = json.loads((tmp_path / "kept" / "walk.json").read_text(encoding="utf-8"))
    expected = {"median": 200.0, "lower": 150.0, "upper": 250.0, "p95": 290.0, "runs": 3}
    assert kept["milliseconds"]["a step"] == expected
    assert kept["machine"]["cores"] >= 1
