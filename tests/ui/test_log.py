"""What the log says of slow runs, of the memory and of the queue; and what it keeps to itself."""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
import streamlit as st

from tests.ui.app import open_page
from ui.server import log
from ui.server.queue import bench
from ui.state.memory import memory

SENTENCE = "Nobody shall read this."


@contextmanager
def lines() -> Iterator[Callable[[str], list[str]]]:
    """Ask for the log's lines so far that hold a word; they come when the run has ended."""
    written: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: written.append(record.getMessage())  # type: ignore[method-assign]
    logger = logging.getLogger(log.__name__)
    logger.addHandler(handler)
    yield lambda word: [line for line in written if word in line]
    logger.removeHandler(handler)


def threads_have_ended() -> None:
    for thread in threading.enumerate():
        if thread.name == "ScriptRunner.scriptThread":
            thread.join(timeout=60)


@pytest.mark.parametrize("page", ["explorer", "cost"])
@pytest.mark.usefixtures("checkpoints")
def test_a_slow_run_is_one_line_with_its_page_and_nothing_of_the_visitor(page, monkeypatch):
    monkeypatch.setattr(log, "SLOW", -math.inf)
    monkeypatch.setattr(log, "EVERY", -math.inf)
    with lines() as said:
        open_page(f"pages/{page}.py", sentence=SENTENCE)
        threads_have_ended()
        assert len(said(f"{page} took ")) == 1
        assert len(said("kept: ")) == len(said(" took "))
        assert not said("Nobody")


@pytest.mark.usefixtures("checkpoints")
def test_a_quick_run_is_no_line(monkeypatch):
    monkeypatch.setattr(log, "SLOW", math.inf)
    with lines() as said:
        open_page("pages/cost.py")
        threads_have_ended()
        assert not said(" took ")


def test_a_run_that_ends_in_an_exception_is_a_line_too(monkeypatch):
    monkeypatch.setattr(log, "SLOW", -math.inf)
    with lines() as said:
        thread = threading.Thread(target=lambda: log.run_begins("broken"))
        thread.start()
        thread.join()
        assert len(said("broken took ")) == 1


def test_two_runs_on_one_thread_are_two_lines(monkeypatch):
    monkeypatch.setattr(log, "SLOW", -math.inf)

    def twice() -> None:
        log.run_begins("one")
        log.run_begins("two")

    with lines() as said:
        thread = threading.Thread(target=twice)
        thread.start()
        thread.join()
        assert (len(said("one took ")), len(said("two took "))) == (1, 1)


def test_a_run_of_a_fragment_alone_is_named_by_its_page_and_its_own_name(monkeypatch):
    monkeypatch.setattr(log, "SLOW", -math.inf)

    def steps() -> None:
        """Draws nothing."""

    with lines() as said:
        thread = threading.Thread(target=log._watched(steps))
        thread.start()
        thread.join()
        assert len(said("steps took ")) == 1


def test_the_memory_is_told_at_most_once_a_while(monkeypatch):
    monkeypatch.setattr(log, "EVERY", math.inf)
    holdings = log._Holdings()
    with lines() as said:
        holdings.tell()
        holdings.tell()
        assert len(said("kept: ")) == 1


@pytest.mark.usefixtures("checkpoints")
def test_what_is_kept_and_how_much_work_waits(monkeypatch):
    monkeypatch.setenv("ATTENTION_EXPLORER_MEMORY", "70000000")
    assert log.holdings() == "nothing of 70 MB; 0 jobs at work or waiting"
    open_page("pages/cost.py")
    assert "1 models" in log.holdings()


@pytest.mark.usefixtures("checkpoints")
def test_a_message_that_clears_streamlits_caches_does_not_clear_ours():
    open_page("pages/cost.py")
    kept, queue = memory().held(), bench()
    st.cache_resource.clear()
    assert kept
    assert memory().held() == kept
    assert bench() is queue
