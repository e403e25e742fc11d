"""Hostile visitors against the app as `make app` serves it, and one who only wants a translation.

``python -m tests.hostile.attack ADDRESS SEED`` repeats what a failing test names.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hostile.attack import attack, tracebacks
from tests.hostile.memory import MOST, peak, wall_in
from tests.hostile.polite import polite_visitor
from tests.server import Server, serve
from tests.visitor import Visitor

LONGEST_WAIT = 1.0  # seconds


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with serve(tmp_path / "log") as server:
        wall_in(server)
        yield server


def assault(server: Server, seeds: range) -> None:
    """All inputs of these seeds; whatever goes wrong is in one message."""
    reports = [attack(server.address, seed) for seed in seeds]
    faults = [fault for report in reports for fault in report.faults]
    faults += tracebacks(server.log.read_text(encoding="utf-8", errors="replace"))
    print("slowest:", *max(report.slowest for report in reports))
    assert not faults, "\n".join(faults)
    assert peak(server) < MOST


def test_hostile_visitors(server):
    assault(server, range(13))


@pytest.mark.slow
@pytest.mark.clock
def test_many_hostile_visitors_and_nobody_waits(server):
    with Visitor(server.address) as first:
        first.open()  # loads the model
    with polite_visitor(server.address) as waits:
        begun = time.perf_counter()
        assault(server, range(1000, 1120))
    print(f"{len(waits)} sentences in {time.perf_counter() - begun:.0f} s, longest", max(waits))
    assert max(waits) < LONGEST_WAIT
