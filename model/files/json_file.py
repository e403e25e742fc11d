"""Read and write all JSON files of a checkpoint.

msgspec checks each file against a type while it reads. It refuses NaN, numbers out of range and
text that is not UTF-8. The type is mostly a ``msgspec.Struct`` in the package that the file belongs
to; keys that it does not name are ignored.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, TypeVar

import msgspec
from msgspec import Meta

from model.files.checkpoint_error import CheckpointError
from model.files.regular_file import PointerError, read_regular
from model.files.replacing import write_text

T = TypeVar("T")
MAX_JSON_BYTES = 32_000_000
MAX_EXACT_NUMBER = 10**15  # JSON, a chart and a float64 represent it exactly

Count = Annotated[int, Meta(ge=0, le=MAX_EXACT_NUMBER)]
Integer = Annotated[int, Meta(ge=-MAX_EXACT_NUMBER, le=MAX_EXACT_NUMBER)]
Number = Annotated[float, Meta(ge=-MAX_EXACT_NUMBER, le=MAX_EXACT_NUMBER)]
NonNegative = Annotated[float, Meta(ge=0, le=MAX_EXACT_NUMBER)]
Share = Annotated[float, Meta(ge=0, le=1)]
Text = Annotated[str, Meta(max_length=10_000)]
Name = Annotated[str, Meta(min_length=1, max_length=255)]
Setting = bool | int | float | Text | None


def decode(content: bytes | str, kind: type[T]) -> T:
    """Decode JSON to a value of a type that msgspec supports.

    Raises:
        ValueError: it is no JSON or not of this type; the message says where.
    """
    try:
        return msgspec.json.decode(content, type=kind)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


@contextmanager
def checkpoint_errors(path: Path, *, fault: str = "is damaged", remedy: str) -> Iterator[None]:
    """Convert errors inside the block, which reads a file, to CheckpointError.

    A CheckpointError of the block passes unchanged, and a PointerError keeps its text: both name a
    remedy already.

    Args:
        path: the file that the block reads.
        fault: what the message says of the file, for example "is damaged".
        remedy: a whole sentence: what the reader of the message should do.

    Raises:
        CheckpointError: the block raised an OSError or a ValueError.
    """
    try:
        yield
    except CheckpointError:
        raise
    except PointerError as error:
        raise CheckpointError(f"The file {path} cannot be read: {error}.") from error
    except (OSError, ValueError) as error:
        raise CheckpointError(f"The file {path} {fault} ({error}). {remedy}") from error


def read_json(path: Path, kind: type[T], *, fault: str = "is damaged", remedy: str) -> T:
    """Read a JSON file as a value of the given type.

    Args:
        path: the file.
        kind: any type that msgspec knows.
        fault: as for ``checkpoint_errors``.
        remedy: as for ``checkpoint_errors``.

    Raises:
        CheckpointError: the file cannot be read, or its content is not of this type.
    """
    with checkpoint_errors(path, fault=fault, remedy=remedy):
        return decode(read_regular(path, MAX_JSON_BYTES), kind)


def write_json(path: Path, values: object) -> Path:
    """Write a value of a type that msgspec supports, completely or not at all. Return the path.

    Raises:
        OSError: the disk is full, or the folder is not writable.
    """
    text = json.dumps(msgspec.to_builtins(values), indent=1, ensure_ascii=False)
    return write_text(path, text + "\n")
