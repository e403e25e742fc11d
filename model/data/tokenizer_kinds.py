"""All tokenizers by kind: from a file to a tokenizer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from msgspec import Struct

from model.data.byte_level.tokenizer import ByteLevelTokenizer
from model.data.pieces.tokenizer import PieceTokenizer
from model.data.tokenizer import Tokenizer
from model.files.json_file import LARGEST, decode
from model.files.regular_file import read_regular


class _Kind(Struct, frozen=True):
    """What ``tokenizer.json`` says of itself; nothing where it was trained here."""

    kind: Any = None


def read_tokenizer(path: Path) -> Tokenizer:
    """Read ``tokenizer.json``, which says of itself what kind it is.

    Raises:
        ValueError: it is missing, broken, or not as its kind is made; the message says where.
    """
    try:
        kind = decode(read_regular(path, LARGEST), _Kind).kind
    except (OSError, ValueError) as error:
        raise ValueError(f"cannot read the tokenizer {path}: {error}") from error
    return ByteLevelTokenizer.load(path) if kind is None else PieceTokenizer.load(path)
