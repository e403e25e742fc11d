"""Tokenizer files of a Marian model of Hugging Face, learned for a test."""

import json
from pathlib import Path
from typing import Any

import sentencepiece

SPECIALS = ("</s>", "<unk>", "<pad>")


def write_spm(path: Path, texts: list[str], vocab_size: int = 130, **settings: Any) -> list[str]:
    """Train a SentencePiece model on these texts, and return its pieces."""
    with path.open("wb") as file:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(texts),
            model_writer=file,
            vocab_size=vocab_size,
            hard_vocab_limit=False,
            minloglevel=2,
            **settings,
        )
    model = sentencepiece.SentencePieceProcessor(model_file=str(path))
    return [model.id_to_piece(id) for id in range(len(model))]


def write_marian_tokenizer(
    folder: Path,
    pairs: list[tuple[str, str]],
    *,
    codes: tuple[str, ...] = (),
    separate: bool = False,
    dropped: int = 0,
    added: dict[str, bool] | None = None,
    **settings: Any,
) -> int:
    """Write ``source.spm``, ``target.spm``, ``vocab.json`` and others; return the id of <pad>.

    Args:
        folder: is made.
        pairs: to learn from.
        codes: target languages that a source can ask for, such as ``>>fra<<``.
        separate: whether source and target have separate vocabularies.
        dropped: of so many pieces in a row, one is left out of the vocabulary; 0 leaves out none.
        added: tokens added by a fine-tuning, each with whether it is special.
        settings: of SentencePiece's trainer.
    """
    folder.mkdir(parents=True, exist_ok=True)
    sides = []
    for name, texts in zip(("source", "target"), zip(*pairs, strict=True), strict=True):
        pieces = write_spm(folder / f"{name}.spm", list(texts), **settings)
        sides.append([p for n, p in enumerate(pieces) if not dropped or n % dropped])
    # shuffled, so that the ids differ from those of SentencePiece
    both = [sides[0], sides[1]] if separate else [sides[0] + sides[1]]
    for name, pieces in zip(("vocab", "target_vocab"), both, strict=False):
        middle = sorted({*pieces, *codes} - {*SPECIALS}, key=lambda piece: piece[::-1])
        spelled = [*SPECIALS[:2], *middle, SPECIALS[2]]
        ids = {piece: id for id, piece in enumerate(spelled)}
        (folder / f"{name}.json").write_text(json.dumps(ids), "utf-8")
    config = {"source_lang": "en", "target_lang": "fr", "separate_vocabs": separate}
    if added:
        config["added_tokens_decoder"] = {
            str(id): {"content": token, "special": is_special}
            for id, (token, is_special) in enumerate(added.items(), len(ids))
        }
        config["extra_special_tokens"] = [token for token in added if added[token]]
    (folder / "tokenizer_config.json").write_text(json.dumps(config), "utf-8")
    return ids["<pad>"]
