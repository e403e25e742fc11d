"""The file of a saved trace: a safetensors file with the arrays, and JSON in its header.

Nothing in it is ever run, unlike a pickle, so a file from anybody can be read.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from model.arrays import Array
from model.files.json_file import Count, decode
from model.files.regular_file import open_regular
from model.files.replacing import replacing
from model.tokenizers.tokenizer import Token
from model.trace.origin import Origin

_HEADER = "trace"  # the name of the JSON among the metadata of the file
LOG_PROBS = "log_probs"  # the name of the array with the log-probabilities
RECORD_PREFIX = "records."  # begins the name of the array of each record


class Header(Struct, frozen=True, kw_only=True):
    """The fields of a trace other than its arrays; see ``BaseTrace``."""

    kind: Literal["Trace", "RecurrentTrace"]
    source_text: str
    target_text: str
    target_origin: Literal["generated", "given"]
    beam: Count
    truncated: bool
    src: tuple[Token, ...]
    tgt_ids: tuple[int, ...]
    tgt_tokens: tuple[str, ...]
    next_tokens: tuple[str, ...]
    origin: Origin | None


def write_trace_file(path: Path, header: Header, arrays: Mapping[str, Array]) -> None:
    """Write the file of a trace, completely or not at all.

    Args:
        path: the file.
        header: all fields that are not arrays.
        arrays: by their names in the file.

    Raises:
        OSError: the disk is full, or the folder is not writable.
    """
    with replacing(path) as unfinished:
        save_file(dict(arrays), unfinished, {_HEADER: msgspec.json.encode(header).decode()})


def read_trace_file(path: Path) -> tuple[Header, dict[str, Array]]:
    """Read the file of a trace: its header, and its arrays by their names in the file.

    Raises:
        ValueError: the file is not a saved trace, or is damaged.
        OSError: it cannot be opened.
    """
    open_regular(path).close()  # raises the true error; safetensors always says "No such file"
    try:
        with safe_open(path, "np") as file:
            header = decode((file.metadata() or {}).get(_HEADER, ""), Header)
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        _check_shapes(header, arrays)
    except (SafetensorError, ValueError, TypeError, RuntimeError) as error:
        raise ValueError(
            f"{path} is not a saved trace ({error}): write it with trace.save"
        ) from error
    return header, arrays


def _check_shapes(header: Header, arrays: Mapping[str, Array]) -> None:
    """Check that tokens, log-probabilities and attention maps belong to one sentence pair."""
    n_source = len(header.src)
    n_target = len(header.next_tokens)
    if (len(header.tgt_tokens), len(header.tgt_ids)) != (n_target, n_target + 1):
        raise ValueError("the target tokens do not fit each other")
    if LOG_PROBS not in arrays or arrays[LOG_PROBS].shape != (n_target,):
        raise ValueError(f"it has no {n_target} log-probabilities")
    for name, array in arrays.items():
        if not name.endswith("weights"):
            continue
        rows = n_source if name.startswith(f"{RECORD_PREFIX}encoder") else n_target
        columns = n_target if "decoder" in name and ".self." in name else n_source
        if array.shape[-2:] != (rows, columns):
            raise ValueError(f"{name} has the shape {array.shape}, not {rows} rows of {columns}")
