"""No visitor's page keeps the others from theirs."""

import sys
import threading

import pytest

from tests.ui.app import open_page, run
from ui.server import log
from ui.server.log import AT_ONCE, SWITCH_INTERVAL, PageTimer


@pytest.fixture
def places(monkeypatch) -> threading.BoundedSemaphore:
    """All free, whatever other tests have left."""
    own = threading.BoundedSemaphore(AT_ONCE)
    monkeypatch.setattr(log, "_places", own)
    return own


def free(places: threading.BoundedSemaphore) -> int:
    """How many pages could begin now."""
    taken = 0
    while places.acquire(blocking=False):
        taken += 1
    for _ in range(taken):
        places.release()
    return taken


def test_two_pages_run_and_the_third_when_one_has_ended(places, monkeypatch):
    held = [PageTimer("page") for _ in range(AT_ONCE)]
    begun: list[PageTimer] = []
    third = threading.Thread(target=lambda: begun.append(PageTimer("page")))
    third.start()
    assert begun == []
    assert free(places) == 0
    held.pop()
    third.join(timeout=60)
    assert len(begun) == 1
    assert free(places) == 0
    monkeypatch.setattr(log, "PATIENCE", 0.01)  # nobody waits for ever
    late = PageTimer("page")
    del late  # it has no place to give back
    assert free(places) == 0
    held.clear()
    begun.clear()
    assert free(places) == AT_ONCE


def test_a_page_gives_its_place_back_however_it_ends(places, monkeypatch):
    made = []
    monkeypatch.setattr(
        "ui.server.log.PageTimer", lambda page: made.append(free(places)) or PageTimer(page)
    )
    app = open_page("pages/explorer.py", sentence="I see a cat.")
    assert free(places) == AT_ONCE
    app.session_state["choice.sentence"] = "x" * 5000  # refused
    run(app)
    assert free(places) == AT_ONCE
    assert len(made) >= 2


def test_a_page_makes_the_turns_short():
    before = sys.getswitchinterval()
    try:
        sys.setswitchinterval(0.5)
        open_page("pages/masks.py")
        assert abs(sys.getswitchinterval() - SWITCH_INTERVAL) < 1e-6
    finally:
        sys.setswitchinterval(before)
