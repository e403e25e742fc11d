"""All JSON of a checkpoint is read here: of a regular file, of bounded size, as a type says.

msgspec checks while it reads: it refuses NaN, numbers out of range and text that is not UTF-8. What
a type, mostly a ``msgspec.Struct`` in the room that the file belongs to, does not name is left out.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, TypeVar

import msgspec
from msgspec import Meta

from model.files.checkpoint_error import CheckpointError
from model.files.regular_file import read_regular
from model.files.replacing import write_text

T = TypeVar("T")
LARGEST = 32_000_000  # bytes
MOST = 10**15  # a number that JSON, a chart and a float64 still count exactly

Count = Annotated[int, Meta(ge=0, le=MOST)]
Whole = Annotated[int, Meta(ge=-MOST, le=MOST)]
Number = Annotated[float, Meta(ge=-MOST, le=MOST)]
Positive = Annotated[float, Meta(ge=0, le=MOST)]
Share = Annotated[float, Meta(ge=0, le=1)]
Text = Annotated[str, Meta(max_length=10_000)]
Name = Annotated[str, Meta(min_length=1, max_length=255)]
Setting = bool | int | float | Text | None


def decode(content: bytes | str, kind: type[T]) -> T:
    """JSON as values of any type that msgspec knows; ValueError if it is not, saying where."""
    try:
        return msgspec.json.decode(content, type=kind)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


@contextmanager
def reading(path: Path, *, fault: str = "is damaged", remedy: str) -> Iterator[None]:
    """CheckpointError about a file that turns out within not to be readable, or something else.

    ``fault`` is what is said of such a file, ``remedy`` a sentence that says what to do then.
    """
    try:
        yield
    except (OSError, ValueError) as error:
        raise CheckpointError(f"The file {path} {fault} ({error}). {remedy}") from error


def read_json(path: Path, kind: type[T], *, fault: str = "is damaged", remedy: str) -> T:
    """A JSON file as values of a type; errors as ``reading``."""
    with reading(path, fault=fault, remedy=remedy):
        return decode(read_regular(path, LARGEST), kind)


def write_json(path: Path, values: object) -> Path:
    """Write values of any type that msgspec knows, whole or not at all; OSError if it cannot be."""
    text = json.dumps(msgspec.to_builtins(values), indent=1, ensure_ascii=False)
    return write_text(path, text + "\n")
