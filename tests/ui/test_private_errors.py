"""The log says where an error happened, but not what the visitor typed."""

import asyncio
import gc
import io
import logging
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server import ROOT, serve
from tests.visitor import Visitor
from ui.server.private_errors import hide_messages

SENTENCE = "A quokka sleeps"

PAGE = f"""
import sys
import streamlit as st

sys.path.insert(0, {str(ROOT)!r})
from ui.server.private_errors import hide_messages

if __name__ == "__main__":
    sentence = st.query_params["sentence"]
    raise ValueError(sentence)
else:
    hide_messages()
    app = st.App("app.py")
"""


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """Return a file of the log, from which the texts of errors are removed as in the app."""
    make_record = logging.getLogRecordFactory()
    excepthook = threading.excepthook
    unraisablehook = sys.unraisablehook
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    logging.getLogger().addHandler(handler)
    hide_messages()
    yield written
    logging.getLogger().removeHandler(handler)
    logging.setLogRecordFactory(make_record)
    threading.excepthook = excepthook
    sys.unraisablehook = unraisablehook


def read_sentence() -> None:
    raise KeyError(SENTENCE)


def fail() -> None:
    try:
        read_sentence()
    except KeyError as error:
        raise ValueError(f"no model reads {SENTENCE!r}") from error


def test_an_error_is_logged_with_its_place_and_its_cause_but_not_its_text(log):
    try:
        fail()
    except ValueError:
        logging.getLogger("any").exception("the page ended")
    text = log.getvalue()
    assert "quokka" not in text
    assert "the page ended" in text
    assert text.index("in read_sentence") < text.index("builtins.KeyError (its message is not")
    assert text.index("which led to") < text.index("builtins.ValueError (its message is not")


def test_the_text_of_an_error_is_removed_from_a_message(log):
    error = ValueError(SENTENCE)
    logging.getLogger("any").error("cannot save %s: %s (%d tries)", "x.png", error, 3)
    logging.getLogger("any").error(f"cannot save: {error!r}", exc_info=error)
    assert "quokka" not in log.getvalue()
    assert "cannot save x.png: ValueError (its message" in log.getvalue()
    assert log.getvalue().count("cannot save") == 2


def test_the_text_of_an_error_that_was_handled_is_removed_from_any_message(log):
    try:
        fail()
    except ValueError as error:
        logging.getLogger("any").error(f"cannot save: {error}")
        logging.getLogger("any").error("cannot save: %s", str(error))
        logging.getLogger("any").error(error)
    logging.getLogger("any").error("cannot save: %s", [ValueError(SENTENCE)])
    assert "quokka" not in log.getvalue()
    assert log.getvalue().count("ValueError (its message") == 4


def test_a_wrong_format_and_an_unusual_error_do_not_break_logging(log, capfd):
    class StrangeError(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    # pytest's own handler would raise the errors that other handlers report
    logger = logging.getLogger("alone")
    logger.propagate = False
    logger.addHandler(logging.StreamHandler(log))
    logger.error("bad %d", ValueError(SENTENCE))
    logger.error("bad %s %s", ValueError(SENTENCE))
    logger.error("strange", exc_info=StrangeError())
    reported = capfd.readouterr().err
    assert reported.count("--- Logging error ---") == 2
    assert "StrangeError (its message" in log.getvalue()
    assert "quokka" not in reported + log.getvalue()


@pytest.mark.parametrize(
    "end_of_line", ["\n", "\r\n", "\r", "\v", "\f", "\x1c", "\x85", "\u2028", "\u2029"]
)
def test_a_message_stays_on_one_line(log, end_of_line):
    sent = f"1{end_of_line}2026-01-01 all files were deleted"
    logging.getLogger("any").warning("no payload in request %s", sent)
    logging.getLogger("any").warning(f"no payload in request {sent}")
    logging.getLogger("any").warning("no payload in %(request)s", {"request": Path(sent)})
    assert len(log.getvalue().splitlines()) == 3


def test_a_message_cannot_contain_control_characters(log):
    logging.getLogger("any").warning("request %s: é 猫", "\x1b[2J\n\x7f\x9b")
    assert log.getvalue() == "request \\x1b[2J\\n\\x7f\\x9b: é 猫\n"


def test_only_control_characters_are_written_in_another_way(log):
    # the first and the last of both groups, and their neighbours
    logging.getLogger("any").warning("\x00\x1f !~\x7f\x9f\xa0¡")
    assert log.getvalue() == "\\x00\\x1f !~\\x7f\\x9f\xa0¡\n"


def test_a_message_on_one_line_keeps_the_traceback(log):
    try:
        fail()
    except ValueError:
        logging.getLogger("any").exception("failed in %s", "a\nb")
    lines = log.getvalue().splitlines()
    assert lines[:2] == ["failed in a\\nb", "Traceback (most recent call last):"]


def test_a_short_error_text_changes_no_other_word(log):
    logging.getLogger("any").error("10 of 100 files", exc_info=KeyError(0))
    assert log.getvalue().startswith("10 of 100 files\n")


def test_an_error_text_of_four_characters_is_removed_and_one_of_three_is_not(log):
    logging.getLogger("any").error("read: chat", exc_info=ValueError("chat"))
    logging.getLogger("any").error("read: cat", exc_info=ValueError("cat"))
    first, second = (line for line in log.getvalue().splitlines() if line.startswith("read: "))
    assert first.startswith("read: ValueError (its message is not logged")
    assert second == "read: cat"


def test_an_error_that_python_ignores_is_private_and_an_exit_is_not_logged(log, capfd):
    class Fails:
        def __del__(self) -> None:
            raise ValueError(SENTENCE)

    failing = Fails()
    del failing
    gc.collect()
    thread = threading.Thread(target=sys.exit)
    thread.start()
    thread.join()
    assert log.getvalue().startswith("an error was ignored\n")
    assert "thread" not in log.getvalue()
    assert "quokka" not in log.getvalue() + "".join(capfd.readouterr())


def test_a_message_without_an_error_stays_unchanged(log):
    logging.getLogger("any").warning("%s took %.1f s", "heads", 2)
    assert log.getvalue() == "heads took 2.0 s\n"


def test_an_error_that_ends_a_thread_or_a_task_is_private_too(log, capfd):
    thread = threading.Thread(target=fail, name="any")
    thread.start()
    thread.join()

    async def start_and_forget() -> None:
        async def fail_in_task() -> None:
            fail()

        task = asyncio.create_task(fail_in_task())
        await asyncio.sleep(0)
        del task

    # in its own thread, because another test may have left a running event loop in this one
    loop_thread = threading.Thread(target=lambda: asyncio.run(start_and_forget()))
    loop_thread.start()
    loop_thread.join()
    gc.collect()
    text = log.getvalue() + "".join(capfd.readouterr())
    assert "quokka" not in text
    assert "a thread ended with an error" in text
    assert "Task exception was never retrieved" in text


@pytest.mark.parametrize(
    ("options", "is_logged"), [([], False), (["--client.showErrorDetails", "full"], True)]
)
def test_an_error_on_a_page_is_private(options, is_logged, tmp_path: Path):
    (tmp_path / "app.py").write_text(PAGE, encoding="utf-8")
    settings = tmp_path / ".streamlit"
    settings.mkdir()
    (settings / "config.toml").write_bytes((ROOT / ".streamlit/config.toml").read_bytes())
    with serve(tmp_path / "log", *options, folder=tmp_path) as server:
        with Visitor(server.address) as visitor:
            assert visitor.open("", "sentence=A+quokka+sleeps").exceptions
        log = server.log.read_text(encoding="utf-8")
    assert "raise ValueError(sentence)" in log
    assert ("quokka" in log) == is_logged
