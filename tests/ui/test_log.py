"""What the log says of slow runs, of the memory and of the queue; and what it keeps to itself."""

import logging
import math
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
import streamlit as st

from tests.ui.app import open_page
from ui.server import log
from ui.server.queue import work_queue
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


def test_a_slow_run_is_one_line_with_its_page_and_nothing_of_the_visitor(monkeypatch):
    monkeypatch.setattr(log, "SLOW", -math.inf)
    monkeypatch.setattr(log, "EVERY", -math.inf)
    with lines() as said:
        open_page("pages/cost.py", sentence=SENTENCE)
        threads_have_ended()
        assert len(said("cost took ")) == 1
        assert len(said("kept: ")) == len(said(" took "))
        assert not said("Nobody")
    monkeypatch.setattr(log, "SLOW", math.inf)
    with lines() as said:
        open_page("pages/cost.py")
        threads_have_ended()
        assert not said(" took ")


def test_every_run_of_a_thread_is_a_line(monkeypatch):
    monkeypatch.setattr(log, "SLOW", -math.inf)
    for begin, names in (
        (lambda: log.run_begins("broken"), ["broken"]),  # and nothing more, as by an exception
        (lambda: (log.run_begins("one"), log.run_begins("two")), ["one", "two"]),
        (lambda: log._watched(_fragment)(), ["_fragment"]),  # alone, without its page
    ):
        with lines() as said:
            thread = threading.Thread(target=begin)
            thread.start()
            thread.join()
            assert [len(said(f"{name} took ")) for name in names] == [1] * len(names)


def _fragment() -> None:
    """Draws nothing."""


@pytest.mark.usefixtures("checkpoints")
def test_what_is_kept_is_told_once_a_while_and_no_message_clears_it(monkeypatch):
    monkeypatch.setattr(log, "EVERY", math.inf)
    monkeypatch.setenv("ATTENTION_EXPLORER_MEMORY", "70000000")
    monkeypatch.setattr(log, "_told", -math.inf)
    with lines() as said:
        log._tell_holdings()
        log._tell_holdings()
        assert len(said("kept: nothing of 70 MB; 0 jobs at work or waiting")) == 1
    open_page("pages/cost.py")
    assert "1 models" in log.holdings()
    kept, queue = memory().held(), work_queue()
    st.cache_resource.clear()  # as a message of a browser can
    assert memory().held() == kept
    assert work_queue() is queue
