"""The tokenizer files of a Marian model of Hugging Face, as the values of ``tokenizer.json``."""

from pathlib import Path

from model.files.checkpoint_error import CheckpointError
from model.files.json_file import checkpoint_errors, read_json
from model.files.regular_file import exists, read_regular
from model.marian.folder import REMEDY, TokenizerSettings, read_if_there
from model.tokenizers.sentencepiece.sentence_piece import SentencePiece
from model.tokenizers.sentencepiece.tokenizer import UNUSED, PieceTokenizer, Vocabulary
from model.tokenizers.tokenizer import SPECIALS

_FILES = ("source.spm", "target.spm", "vocab.json")
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

    CheckpointError if a file is missing or damaged, ValueError if they do not fit together.
    """
    _require_files(folder)
    vocab, src_vocab = read_json(folder / "vocab.json", Vocabulary, remedy=REMEDY), None
    tokens = read_if_there(folder / "tokenizer_config.json", TokenizerSettings)
    added = {
        token: is_special
        for token, (id, is_special) in _added(folder, tokens).items()
        if vocab.setdefault(token, id) == id and token not in SPECIALS
    }
    if tokens.separate_vocabs:
        src_vocab, vocab = vocab, read_json(folder / "target_vocab.json", Vocabulary, remedy=REMEDY)
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


def _require_files(folder: Path) -> None:
    """Refuse a folder whose tokenizer was not saved, as after some trainings."""
    missing = [name for name in _FILES if not exists(folder / name)]
    if missing:
        raise CheckpointError(
            f"{folder} is a model without its tokenizer ({', '.join(missing)}): copy "
            f"{', '.join(_FILES)} and tokenizer_config.json from the model that was fine-tuned."
        )


def _added(folder: Path, tokens: TokenizerSettings) -> dict[str, tuple[int, bool]]:
    """Tokens of a fine-tuning: id, and whether it is special; older folders have only the ids."""
    ids = read_if_there(folder / "added_tokens.json", Vocabulary)
    newer = {one.content: (id, one.special) for id, one in tokens.added_tokens_decoder.items()}
    return {token: (id, False) for token, id in ids.items()} | newer


def _read_spm(path: Path) -> bytes:
    with checkpoint_errors(path, fault="cannot be read as a SentencePiece model", remedy=REMEDY):
        model = read_regular(path, _LARGEST_SPM)
        SentencePiece(model)
        return model
