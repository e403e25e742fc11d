"""The tokenizer files of a Marian model of Hugging Face, as the values of ``tokenizer.json``."""

from pathlib import Path
from typing import TypeVar

import msgspec

from model.data.sentencepiece.sentence_piece import SentencePiece
from model.data.sentencepiece.tokenizer import UNUSED, PieceTokenizer, Vocabulary
from model.data.tokenizer import SPECIALS
from model.files.json_file import LARGEST, decode
from model.files.regular_file import is_there, read_regular

T = TypeVar("T")
_LARGEST_SPM = 100_000_000  # bytes


def read_marian_tokenizer(
    folder: Path, pad_id: int, bos_id: int, rows: tuple[int, int] = (0, 0)
) -> PieceTokenizer:
    """``source.spm``, ``target.spm``, ``vocab.json`` and, where it is, ``target_vocab.json``.

    Args:
        pad_id: what fills up a batch.
        bos_id: what the decoder starts with.
        rows: of the embeddings of source and target. Those that no piece has, as in a matrix that
            was made longer for a GPU, get a name of their own, ``<unused 209>``.

    ValueError if a file is missing or damaged.
    """
    vocab, src_vocab = _read(folder / "vocab.json", Vocabulary), None
    tokens = _read_if_there(folder / "tokenizer_config.json", _TokenizerConfig)
    added = {
        token: is_special
        for token, (id, is_special) in _added(folder, tokens).items()
        if vocab.setdefault(token, id) == id and token not in SPECIALS
    }
    if tokens.separate_vocabs:
        src_vocab, vocab = vocab, _read(folder / "target_vocab.json", Vocabulary)
        vocab |= {token: src_vocab[token] for token in added}
    for ids, size in zip((src_vocab or vocab, vocab), rows, strict=True):
        ids |= {UNUSED.format(id): id for id in set(range(size)) - {*ids.values()}}
    return PieceTokenizer(
        {
            "kind": "sentencepiece",
            "source": _read_spm(folder / "source.spm"),
            "target": _read_spm(folder / "target.spm"),
            "vocab": vocab,
            "src_vocab": src_vocab,
            "pad_id": pad_id,
            "bos_id": bos_id,
            "added": added,
        }
    )


class _AddedToken(msgspec.Struct, frozen=True):
    content: str
    special: bool = False


class _TokenizerConfig(msgspec.Struct, frozen=True):
    separate_vocabs: bool = False
    added_tokens_decoder: dict[int, _AddedToken] = {}


def _added(folder: Path, tokens: _TokenizerConfig) -> dict[str, tuple[int, bool]]:
    """Tokens of a fine-tuning: id, and whether it is special; older folders have only the ids."""
    ids = _read_if_there(folder / "added_tokens.json", Vocabulary)
    newer = {one.content: (id, one.special) for id, one in tokens.added_tokens_decoder.items()}
    return {token: (id, False) for token, id in ids.items()} | newer


def _read_if_there(path: Path, kind: type[T]) -> T:
    return _read(path, kind) if is_there(path) else decode("{}", kind)


def _read(path: Path, kind: type[T]) -> T:
    try:
        return decode(read_regular(path, LARGEST), kind)
    except (OSError, ValueError) as error:
        raise ValueError(f"cannot read {path} ({error})") from error


def _read_spm(path: Path) -> bytes:
    try:
        model = read_regular(path, _LARGEST_SPM)
        SentencePiece(model)
    except (OSError, ValueError) as error:
        raise ValueError(f"{path} cannot be read as a SentencePiece model ({error})") from error
    return model
