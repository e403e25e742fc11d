"""The list of faults that need no test speaks of the code as it is."""

from __future__ import annotations

from pathlib import Path

from mutants.accepted import FILE, reasons

ROOT = Path(__file__).parents[2]


def test_every_accepted_fault_is_one_of_a_line_that_stands() -> None:
    for (path, old, new), reason in reasons().items():
        lines = [line.strip() for line in (ROOT / path).read_text("utf-8").splitlines()]
        assert old in lines, f"{path}: the line is gone, and so should its fault be: {old}"
        assert old != new
        assert len(reason.split()) > 2, f"{path}: no reason: {old}"


def test_the_list_is_sorted_and_names_each_once() -> None:
    lines = FILE.read_text("utf-8").splitlines()
    assert lines == sorted(set(lines))
    assert len(reasons()) == len(lines)
