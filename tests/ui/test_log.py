"""What the log says about slow runs, memory and queue, and what it must not say."""

import logging
import math
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec, module_from_spec
from types import SimpleNamespace

import pytest
import streamlit as st

from tests.ui.app import open_page
from ui.server import log, page_slots
from ui.server.queue import work_queue
from ui.state.memory import memory

SENTENCE = "Nobody shall read this."


@contextmanager
def lines() -> Iterator[Callable[[str], list[str]]]:
    """Yield a function that returns the lines of the log so far that hold a word."""
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


def test_a_slow_run_is_logged_in_one_line_with_its_page_and_nothing_about_the_visitor(monkeypatch):
    monkeypatch.setattr(log, "SLOW_RUN_SECONDS", -math.inf)
    monkeypatch.setattr(log, "SECONDS_BETWEEN_MEMORY_LINES", -math.inf)
    with lines() as written:
        open_page("pages/cost.py", sentence=SENTENCE)
        threads_have_ended()
        assert len(written("cost took ")) == 1
        assert len(written("kept: ")) == len(written(" took "))
        assert not written("Nobody")
    monkeypatch.setattr(log, "SLOW_RUN_SECONDS", math.inf)
    with lines() as written:
        open_page("pages/cost.py")
        threads_have_ended()
        assert not written(" took ")


def test_every_run_is_logged_even_if_it_fails(monkeypatch):
    monkeypatch.setattr(log, "SLOW_RUN_SECONDS", -math.inf)
    with lines() as written:
        with suppress(ZeroDivisionError), page_slots.page_slot("broken"):
            _ = 1 / 0
        assert len(written("broken took ")) == 1
    with lines() as written:
        with page_slots.page_slot("page"):
            page_slots._in_slot(_fragment)()
        assert (len(written("page took ")), written("_fragment")) == (1, [])
    with lines() as written:
        page_slots._in_slot(_fragment)()  # the fragment alone, without its page
        assert len(written("_fragment took ")) == 1


def test_the_first_run_of_a_server_logs_the_memory():
    spec = find_spec(log.__name__)
    just_started = module_from_spec(spec)
    spec.loader.exec_module(just_started)
    with lines() as written:
        just_started.log_run("page", 0.1)
        assert len(written("kept: ")) == 1


def test_a_run_is_logged_with_the_seconds_that_it_took(monkeypatch):
    clock = SimpleNamespace(perf_counter=iter([100.0, 102.5]).__next__)
    monkeypatch.setattr(page_slots, "time", clock)
    with lines() as written, page_slots.page_slot("page"):
        pass
    assert written(" took ") == ["page took 2.5 s"]


def _fragment() -> None:
    """Draw nothing."""


@pytest.mark.usefixtures("checkpoints")
def test_the_memory_is_logged_at_intervals_and_no_message_can_clear_it(monkeypatch):
    monkeypatch.setattr(log, "SECONDS_BETWEEN_MEMORY_LINES", math.inf)
    monkeypatch.setenv("ATTENTION_EXPLORER_MEMORY", "70000000")
    monkeypatch.setattr(log, "_last_memory_line", -math.inf)
    with lines() as written:
        log._log_memory()
        log._log_memory()
        assert len(written("kept: nothing of 70 MB; 0 jobs at work or waiting")) == 1
    open_page("pages/cost.py")
    assert "1 models" in log.memory_line()
    usage, queue = memory().usage(), work_queue()
    st.cache_resource.clear()  # a message from a browser can request this
    assert memory().usage() == usage
    assert work_queue() is queue
