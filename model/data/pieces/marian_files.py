"""The tokenizer files of a Marian model of Hugging Face, as the values of ``tokenizer.json``."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

from model.data.pieces.spm_file import read_spm
from model.data.pieces.tokenizer import PieceTokenizer
from model.data.tokenizer import PAD
from model.files.json_file import LARGEST, decode
from model.files.regular_file import is_there, read_regular
from model.files.schemas import Vocabulary

T = TypeVar("T")


def read_marian_tokenizer(
    folder: Path, *, pad_id: int | None = None, bos_id: int | None = None
) -> PieceTokenizer:
    """``source.spm``, ``target.spm``, ``vocab.json`` and, where it is, ``target_vocab.json``.

    Args:
        folder: of the model.
        pad_id: what fills up a batch; None for the number of ``<pad>``.
        bos_id: what the decoder starts with; None for the same as ``pad_id``.

    Raises:
        ValueError: a file is missing or damaged, or asks for something that is not done here.
    """
    vocab, src_vocab = _read(folder / "vocab.json", Vocabulary), None
    if _has_two_vocabularies(folder):
        src_vocab, vocab = vocab, _read(folder / "target_vocab.json", Vocabulary)
    pad_id = vocab.get(PAD) if pad_id is None else pad_id
    if pad_id is None:
        raise ValueError(f"the vocabulary in {folder} lacks {PAD}")
    return PieceTokenizer(
        {
            "kind": "sentencepiece",
            "source": read_spm(folder / "source.spm"),
            "target": read_spm(folder / "target.spm"),
            "vocab": vocab,
            "src_vocab": src_vocab,
            "pad_id": pad_id,
            "bos_id": pad_id if bos_id is None else bos_id,
        }
    )


def _has_two_vocabularies(folder: Path) -> bool:
    path = folder / "tokenizer_config.json"
    if not is_there(path):
        return False
    return bool(_read(path, dict[str, Any]).get("separate_vocabs"))


def _read(path: Path, kind: type[T]) -> T:
    try:
        return decode(read_regular(path, LARGEST), kind)
    except (OSError, ValueError) as error:
        raise ValueError(f"cannot read {path} ({error})") from error
