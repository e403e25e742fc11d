"""A SentencePiece file (``source.spm``) as plain values; the only place that needs the library."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from model.data.pieces.sentence_piece import PieceModel
from model.files.regular_file import read_regular

_LARGEST = 100_000_000  # bytes
_ALGORITHMS: dict[int, Literal["unigram", "bpe"]] = {1: "unigram", 2: "bpe"}
_NORMAL, _CONTROL, _DEFINED, _UNUSED = 1, 3, 4, 5  # kinds of pieces


def read_spm(path: Path) -> PieceModel:
    """What a SentencePiece model has learned and how it was set.

    Raises:
        ValueError: the library is missing, or the file is none of its own, or has something that
            is not done here; the message says what.
    """
    try:
        from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
        from sentencepiece.sentencepiece_model_pb2 import ModelProto  # type: ignore[attr-defined]
    except ImportError as error:
        raise ValueError(
            "reading a .spm file needs a library more: pip install -r requirements-extra.txt"
        ) from error
    proto: Any = ModelProto()
    try:
        proto.ParseFromString(read_regular(path, _LARGEST))
    except (OSError, DecodeError) as error:
        raise ValueError(f"{path} cannot be read as a SentencePiece model ({error})") from error
    if fault := _not_done_here(proto):
        raise ValueError(f"{path} {fault}, which this program does not know how to cut")
    return _values(proto)


def _not_done_here(proto: Any) -> str:
    """What such a file can ask for, and hardly any does; empty where it does not."""
    how, kinds = proto.normalizer_spec, {piece.type for piece in proto.pieces}
    faults = {
        "has no pieces": not kinds & {_NORMAL, _DEFINED},
        "is neither unigram nor BPE": proto.trainer_spec.model_type not in _ALGORITHMS,
        "puts the space behind a word": proto.trainer_spec.treat_whitespace_as_suffix,
        "writes a space as it is": not how.escape_whitespaces,
        "replaces characters after joining": proto.denormalizer_spec.precompiled_charsmap != b"",
        "has pieces that are not used": _UNUSED in kinds,
    }
    return next((fault for fault, is_so in faults.items() if is_so), "")


def _values(proto: Any) -> PieceModel:
    how = proto.normalizer_spec
    cut_out = {
        piece.piece: piece.score for piece in proto.pieces if piece.type in (_NORMAL, _DEFINED)
    }
    return {
        "algorithm": _ALGORITHMS[proto.trainer_spec.model_type],
        "scores": cut_out,
        "defined": [piece.piece for piece in proto.pieces if piece.type == _DEFINED],
        "controls": [piece.piece for piece in proto.pieces if piece.type == _CONTROL],
        "byte_fallback": proto.trainer_spec.byte_fallback,
        "charsmap": how.precompiled_charsmap,
        "prefix": how.add_dummy_prefix,
        "squeezed": how.remove_extra_whitespaces,
    }
