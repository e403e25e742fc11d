"""Log errors without their messages, which may quote what a visitor typed.

The log gets the type of an error and its traceback, which is lines of code. Every other message is
one line of the log, so that no visitor can write lines of their own: a client may send an
identifier with a line break, which Streamlit logs. `make dev`, for developers of the app, logs
everything unchanged, also the messages of errors. What is written without ``logging``, as by
``print``, is not changed.
"""

import logging
import sys
import threading
import traceback
from collections.abc import Mapping
from typing import Any

import streamlit as st

_HIDDEN = "(its message is not logged: it could hold what a visitor typed)"
_MIN_MESSAGE = 4  # characters: a shorter message would also be found within other words
# Characters that begin a new line or control a terminal, and how they are written instead.
_CONTROLS = {
    code: chr(code).encode("unicode_escape").decode()
    for code in (*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029)
}
_log = logging.getLogger(__name__)


class PrivateRecord(logging.LogRecord):
    """A record without the messages of errors, whose text is one line."""

    def __init__(self, *args: Any, **options: Any) -> None:
        """Make a record from the arguments that ``logging`` gives."""
        super().__init__(*args, **options)
        _remove_messages(self)

    def getMessage(self) -> str:  # noqa: N802 - the name that logging calls
        r"""Return the text of the record, in which a line break is \n."""
        return super().getMessage().translate(_CONTROLS)


def hide_messages() -> None:
    """Log no message of an error, and each other message on one line, from now on."""
    if st.get_option("client.showErrorDetails") == "full":
        return
    logging.setLogRecordFactory(PrivateRecord)
    # Python prints these errors without using the log.
    threading.excepthook = _log_end_of_thread
    sys.unraisablehook = _log_ignored


def describe(error: BaseException) -> str:
    """Return the traceback of an error and its causes, without their messages."""
    errors = _with_causes(error)
    blocks = []
    for cause in reversed(errors):
        lines = "".join(traceback.format_tb(cause.__traceback__))
        name = f"{type(cause).__module__}.{type(cause).__qualname__}"
        blocks.append(f"Traceback (most recent call last):\n{lines}{name} {_HIDDEN}")
    return "\n\nwhich led to\n\n".join(blocks)


def _remove_messages(record: logging.LogRecord) -> None:
    """Remove the messages of the errors that a record is about.

    The record is not formatted here, because a wrong format must not raise an error in the code
    that logs.
    """
    # 1. Describe the error of the record
    # While an error is handled, its message may be in the text, as in ``f"cannot save: {error}"``.
    errors = [sys.exc_info()[1]]
    if record.exc_info and record.exc_info[1]:
        errors.append(record.exc_info[1])
        record.exc_text = describe(record.exc_info[1])
        record.exc_info = None

    # 2. Hide the messages in the format and in its arguments
    messages = {
        message: _name(error)
        for logged in errors
        if logged
        for error in _with_causes(logged)
        for message in _messages(error)
    }
    record.msg = _hide(record.msg, messages)
    record.args = _hide(record.args, messages)


def _hide(value: Any, messages: Mapping[str, str]) -> Any:
    """Return a value without errors and without their messages, also within lists and tables.

    Args:
        value: the format of a record, or its arguments.
        messages: what to write instead of a message.
    """
    if isinstance(value, BaseException):
        return _name(value)
    if isinstance(value, str):
        for message, name in messages.items():
            value = value.replace(message, name)
        return value
    if isinstance(value, dict):
        return {key: _hide(part, messages) for key, part in value.items()}
    if type(value) in (list, tuple):
        return type(value)(_hide(part, messages) for part in value)
    return value


def _name(error: BaseException) -> str:
    """Return what is logged instead of an error's message."""
    return f"{type(error).__name__} {_HIDDEN}"


def _messages(error: BaseException) -> list[str]:
    """Return the texts in which an error's message can be logged."""
    try:
        texts = [repr(error), str(error)]
    except Exception:  # an error of a library can fail to describe itself
        return []
    return [text for text in texts if len(text) >= _MIN_MESSAGE]


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
    """Log the error that ended a thread; SystemExit ends it on purpose."""
    if args.exc_value is not None and not isinstance(args.exc_value, SystemExit):
        _log.error("a thread ended with an error", exc_info=args.exc_value)


def _log_ignored(args: "sys.UnraisableHookArgs") -> None:
    """Log an error that Python can only ignore, such as one of ``__del__``."""
    if args.exc_value is not None:
        _log.error("an error was ignored", exc_info=args.exc_value)
