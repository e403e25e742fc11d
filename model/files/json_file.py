"""All JSON of a checkpoint is read here: of a regular file, of bounded size, after a schema.

msgspec checks while it reads. It gives plain typed values, refuses NaN, numbers out of range and
text that is not UTF-8, and ends in an exception, not in a crash, however deep a file is nested.
"""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import msgspec

from model.files.checkpoint_error import CheckpointError
from model.files.regular_file import read_regular

T = TypeVar("T")
LARGEST = 32_000_000  # bytes


def decode(content: bytes | str, kind: type[T]) -> T:
    """JSON as values of a type.

    Args:
        content: the JSON.
        kind: one of ``model.files.schemas``, or any other type that msgspec knows.

    Raises:
        ValueError: it is no JSON, or not of this type; the message says where.
    """
    try:
        return msgspec.json.decode(content, type=kind)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def read_json(path: Path, kind: type[T], *, fault: str = "is damaged", remedy: str) -> T:
    """A JSON file as values of a type.

    Args:
        path: where it lies.
        kind: as for ``decode``.
        fault: what is said of a file that is something else.
        remedy: a sentence that says what to do then.

    Raises:
        CheckpointError: the file cannot be read, or is not of this type.
    """
    try:
        return decode(read_regular(path, LARGEST), kind)
    except (OSError, ValueError) as error:
        raise CheckpointError(f"The file {path} {fault} ({error}). {remedy}") from error
