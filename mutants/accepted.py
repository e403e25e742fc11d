"""Faults that no test needs to notice, each looked at and accepted for a reason."""

from __future__ import annotations

from pathlib import Path

from mutants.faults import Fault

FILE = Path(__file__).with_name("accepted.tsv")


def reasons() -> dict[tuple[str, str, str], str]:
    """(file, line without the fault, line with it) -> why nothing needs to notice it."""
    found = {}
    for line in FILE.read_text("utf-8").splitlines():
        path, old, new, reason = line.split("\t")
        found[path, old, new] = reason
    return found


def key(fault: Fault) -> tuple[str, str, str]:
    """Under which a fault stands in the list, wherever its line has moved to."""
    return fault.path, fault.old, fault.new
