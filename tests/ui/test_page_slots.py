"""No visitor's page blocks the pages of others."""

import sys
import threading
from contextlib import suppress
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from tests.ui.app import open_page, run
from ui.server import page_slots
from ui.server.page_slots import MAX_RUNNING_PAGES, page_slot


@pytest.fixture
def slots(monkeypatch) -> threading.BoundedSemaphore:
    """Free all slots, whatever other tests have left."""
    own = threading.BoundedSemaphore(MAX_RUNNING_PAGES)
    monkeypatch.setattr(page_slots, "_slots", own)
    return own


def free(slots: threading.BoundedSemaphore) -> int:
    """Return how many pages could start now."""
    taken = 0
    while slots.acquire(blocking=False):
        taken += 1
    for _ in range(taken):
        slots.release()
    return taken


class RunningPage(threading.Thread):
    """A page that runs, once it has a slot, until it is stopped."""

    def __init__(self) -> None:
        super().__init__()
        self.has_begun = threading.Event()
        self._end = threading.Event()
        self.start()

    def run(self) -> None:
        with page_slots._slot("page"):
            self.has_begun.set()
            self._end.wait(60)

    def end(self) -> None:
        self._end.set()
        self.join(60)


def test_two_pages_run_at_once_and_a_third_starts_when_one_has_ended(slots):
    running = [RunningPage() for _ in range(2)]
    assert all(page.has_begun.wait(60) for page in running)
    third = RunningPage()
    assert not third.has_begun.is_set()
    assert free(slots) == 0
    running.pop().end()
    assert third.has_begun.wait(60)
    assert free(slots) == 0
    for page in (*running, third):
        page.end()
    assert free(slots) == 2


def test_a_page_that_waits_too_long_gives_up(slots, monkeypatch):
    running = [RunningPage() for _ in range(2)]
    assert all(page.has_begun.wait(60) for page in running)
    monkeypatch.setattr(page_slots, "MAX_WAITING_SECONDS", 0.01)
    late = RunningPage()
    assert late.has_begun.wait(60)
    late.end()  # the late page has no slot that it could release
    assert free(slots) == 0
    for page in running:
        page.end()
    assert free(slots) == 2


@pytest.mark.parametrize("error", [ValueError, SystemExit, GeneratorExit])
def test_a_page_releases_its_slot_even_if_it_fails(slots, error):
    with suppress(error), page_slot("page"):
        assert free(slots) == 1
        raise error
    assert free(slots) == 2


def test_a_run_that_is_refused_or_redirected_releases_its_slot(slots, monkeypatch):
    seen = []
    monkeypatch.setattr(page_slots, "log_run", lambda *_: seen.append(free(slots)))
    app = open_page("pages/explorer.py", sentence="I see a cat.")
    app.session_state["choice.sentence"] = "x" * 5000  # this sentence is refused
    run(app)
    app.button(key="tour.begin").click()  # this button opens the start page
    run(app)
    assert len(seen) >= 3
    assert set(seen) == {2}


def test_a_click_that_sets_a_field_of_the_address_runs_the_whole_page(monkeypatch):
    runs: list[str] = []
    visitor = SimpleNamespace(has_clicked=False, has_outdated_parts=False)
    monkeypatch.setattr(page_slots, "visitor", lambda: visitor)
    monkeypatch.setattr(page_slots.st, "rerun", Mock(side_effect=SystemExit))  # ends the run

    def fragment() -> None:
        runs.append("fragment")

    draw = page_slots._in_slot(fragment)
    draw()
    assert runs == ["fragment"]
    visitor.has_clicked = True
    with pytest.raises(SystemExit):
        draw()
    assert runs == ["fragment"]


def test_an_outdated_part_outside_a_fragment_runs_the_whole_page_once(monkeypatch):
    runs: list[str] = []
    visitor = SimpleNamespace(has_clicked=False, has_outdated_parts=True)
    monkeypatch.setattr(page_slots, "visitor", lambda: visitor)
    monkeypatch.setattr(page_slots.st, "rerun", Mock(side_effect=SystemExit))  # ends the run
    draw = page_slots._in_slot(lambda: runs.append("fragment"))
    with pytest.raises(SystemExit):
        draw()
    with page_slots._slot("page"):  # the page itself will draw its outdated part
        draw()
    assert runs == ["fragment"]


def test_a_page_shortens_the_switch_interval_of_threads():
    before = sys.getswitchinterval()
    try:
        sys.setswitchinterval(0.5)
        open_page("pages/masks.py")
        assert sys.getswitchinterval() == pytest.approx(0.0002)
    finally:
        sys.setswitchinterval(before)
