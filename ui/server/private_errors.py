"""Log errors without their messages, which may quote what a visitor typed.

The log gets the type of an error and its traceback, which is lines of code. `make dev`, for those
who develop the app, logs the messages, too.
"""

import logging
import threading
import traceback
from typing import Any

import streamlit as st

_HIDDEN = "(its message is not logged: it could hold what a visitor typed)"
_log = logging.getLogger(__name__)


def hide_messages() -> None:
    """Remove the messages of errors from all logs of this process, from now on."""
    if st.get_option("client.showErrorDetails") == "full":
        return
    make_record = logging.getLogRecordFactory()

    def make_private_record(*args: Any, **options: Any) -> logging.LogRecord:
        return _without_messages(make_record(*args, **options))

    logging.setLogRecordFactory(make_private_record)
    # Python prints an error that ends a thread without using the log.
    threading.excepthook = _log_end_of_thread


def describe(error: BaseException) -> str:
    """Return the traceback of an error and its causes, without their messages."""
    errors = _with_causes(error)
    blocks = []
    for cause in reversed(errors):
        lines = "".join(traceback.format_tb(cause.__traceback__))
        name = f"{type(cause).__module__}.{type(cause).__qualname__}"
        blocks.append(f"Traceback (most recent call last):\n{lines}{name} {_HIDDEN}")
    return "\n\nwhich led to\n\n".join(blocks)


def _without_messages(record: logging.LogRecord) -> logging.LogRecord:
    """Return a log record without the messages of its errors."""
    logged_errors = [value for value in _arguments(record) if isinstance(value, BaseException)]
    if record.exc_info and record.exc_info[1]:
        logged_errors.append(record.exc_info[1])
        record.exc_text = describe(record.exc_info[1])
        record.exc_info = None
    if not logged_errors:
        return record

    text = record.getMessage()
    for logged_error in logged_errors:
        for error in _with_causes(logged_error):
            for message in (repr(error), str(error)):
                if message:
                    text = text.replace(message, f"{type(error).__name__} {_HIDDEN}")
    record.msg = text
    record.args = None
    return record


def _arguments(record: logging.LogRecord) -> list[Any]:
    """Return the values that are formatted into the record's message."""
    if isinstance(record.args, dict):
        return list(record.args.values())
    return list(record.args or ())


def _with_causes(error: BaseException) -> list[BaseException]:
    """Return an error and its causes, the last cause first."""
    errors: list[BaseException] = []
    current: BaseException | None = error
    while current is not None and current not in errors:
        errors.append(current)
        context = None if current.__suppress_context__ else current.__context__
        current = current.__cause__ or context
    return errors


def _log_end_of_thread(args: threading.ExceptHookArgs) -> None:
    if args.exc_value is not None:
        _log.error("a thread ended with an error", exc_info=args.exc_value)
