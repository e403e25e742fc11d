"""A SentencePiece file (``source.spm``) as a tokenizer of the library ``tokenizers``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tokenizers import Regex, Tokenizer, models, normalizers

from model.files.regular_file import read_regular

SPACE = "▁"  # U+2581: a space inside of a piece
UNKNOWN = " "  # the name of what no piece spells; no normalised text has one
_LARGEST = 100_000_000  # bytes
_UNIGRAM, _BPE = 1, 2
_NORMAL, _DEFINED, _UNUSED, _BYTE = 1, 4, 5, 6  # kinds of pieces
_SCORE_OF_DEFINED = -0.1  # better than anything learned, so that they are always cut out


def read_spm(path: Path) -> Tokenizer:
    """What cuts a text into the pieces of a SentencePiece model.

    Raises:
        ValueError: the library ``sentencepiece`` is missing, or the file is none of its own, or has
            something that is not done here; the message says what.

    Source: Kudo and Richardson 2018 (SentencePiece).
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
    tokenizer = Tokenizer(_bpe(proto) if proto.trainer_spec.model_type == _BPE else _unigram(proto))
    tokenizer.normalizer = _normalizer(proto.normalizer_spec)
    return tokenizer


def _not_done_here(proto: Any) -> str:
    """What such a file can ask for, and hardly any does; empty where it does not."""
    how, kinds = proto.normalizer_spec, {piece.type for piece in proto.pieces}
    algorithm = proto.trainer_spec.model_type
    faults = {
        "has no pieces": not kinds & {_NORMAL, _DEFINED},
        "is neither unigram nor BPE": algorithm not in (_UNIGRAM, _BPE),
        "has symbols beside its BPE": algorithm == _BPE and _DEFINED in kinds,
        "puts the space behind a word": proto.trainer_spec.treat_whitespace_as_suffix,
        "writes a space as it is": not how.escape_whitespaces,
        "replaces characters after joining": proto.denormalizer_spec.precompiled_charsmap != b"",
        "has pieces that are not used": _UNUSED in kinds,
    }
    return next((fault for fault, is_so in faults.items() if is_so), "")


def _unigram(proto: Any) -> models.Unigram:
    """The most probable cut, where every piece has a probability of its own.

    Source: Kudo 2018, section 3.2.
    """
    scores = {piece.piece: piece.score for piece in proto.pieces if piece.type == _NORMAL}
    rare = min(scores.values(), default=0.0)  # what is unknown is still less probable
    scores |= {p.piece: _SCORE_OF_DEFINED for p in proto.pieces if p.type == _DEFINED}
    scores |= {p.piece: rare for p in proto.pieces if p.type == _BYTE}
    vocab = [(UNKNOWN, 0.0), *scores.items()]
    return models.Unigram(vocab, unk_id=0, byte_fallback=proto.trainer_spec.byte_fallback)


def _bpe(proto: Any) -> models.BPE:
    """The same byte-pair encoding by pairs: two pieces merge if they spell a third.

    Source: Sennrich et al. 2016, section 3.2.
    """
    best_first = sorted(
        (piece for piece in proto.pieces if piece.type == _NORMAL), key=lambda piece: -piece.score
    )
    in_bytes = [piece.piece for piece in proto.pieces if piece.type == _BYTE]
    spelled = [piece.piece for piece in best_first]
    ids = {piece: id for id, piece in enumerate([*spelled, *in_bytes, UNKNOWN])}
    pairs = [(piece[:n], piece[n:]) for piece in spelled for n in range(1, len(piece))]
    return models.BPE(
        ids,
        [pair for pair in pairs if pair[0] in ids and pair[1] in ids],
        unk_token=UNKNOWN,
        fuse_unk=True,
        byte_fallback=proto.trainer_spec.byte_fallback,
    )


def _normalizer(spec: Any) -> normalizers.Normalizer:
    """How SentencePiece makes a text uniform before it cuts it.

    ``Precompiled`` takes the shortest entry of its table where SentencePiece takes the longest, so
    letters and their accents are composed before and after it.
    """
    steps: list[normalizers.Normalizer] = [normalizers.Prepend(" ")]
    if spec.precompiled_charsmap:
        table = normalizers.Precompiled(spec.precompiled_charsmap)
        steps += [normalizers.NFC(), table, normalizers.NFC()]
    if spec.remove_extra_whitespaces:
        steps += [
            normalizers.Replace(Regex("(?<= ) +"), ""),
            normalizers.Replace(Regex(rf"[ {SPACE}]+\z"), ""),
        ]
    if not spec.add_dummy_prefix:
        steps.append(normalizers.Replace(Regex(r"\A "), ""))
    return normalizers.Sequence([*steps, normalizers.Replace(" ", SPACE)])
