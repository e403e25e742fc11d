"""Convert a MarianMT model of Hugging Face, such as opus-mt-en-fr, into a checkpoint of ours.

python -m model.convert_marian downloads/opus-mt-en-fr --out checkpoints/opus-mt-en-fr

The folder is read from the disk; nothing is downloaded. It holds config.json, the weights
(model.safetensors or pytorch_model.bin), source.spm, target.spm and vocab.json.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from model.checkpoint.checkpoint import CARD, save_checkpoint
from model.command_line import new_parser, run
from model.files.checkpoint_error import CheckpointError
from model.files.folder_lock import folder_lock
from model.files.regular_file import exists
from model.files.replacing import write_text
from model.marian.architecture import architecture_of
from model.marian.card import card
from model.marian.folder import REMEDY, MarianFolder, languages_of, read_folder
from model.marian.tokenizer import read_marian_tokenizer
from model.marian.weights import converted, kind_of, read_tensors
from model.tokenizers.sentencepiece.tokenizer import PieceTokenizer
from model.tokenizers.tokenizer import PAD


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status: 0 done, 1 bad input."""
    parser = new_parser("convert_marian", __doc__)
    parser.add_argument("path", type=Path, metavar="PATH", help="the folder of the model")
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="a new folder")
    return run(parser, _convert, arguments)


def _convert(options: argparse.Namespace) -> None:
    with folder_lock(options.out):
        codes = convert(options.path, options.out).codes
    print(f"Written to {options.out}. Choose it in the app, or translate with it:")
    print(f"python -m model.translate --checkpoint {options.out}")
    if codes:
        print(f"It writes several languages: begin a text with one of {' '.join(codes)}")


def convert(path: Path, out: Path) -> PieceTokenizer:
    """Read a folder of Hugging Face and write one of ours, ``out``; returns its tokenizer.

    CheckpointError where the folder lacks something, is damaged, or holds a model that our
    Transformer cannot be, or ``out`` is there; OSError if the disk is full.
    """
    if exists(out):
        raise CheckpointError(f"{out} is there already: give another folder to --out.")
    folder = read_folder(path)
    tensors, file = read_tensors(folder.path)
    config = architecture_of(folder, tensors)
    rows = (config.src_vocab_size or config.vocab_size, config.vocab_size)
    tokenizer = read_marian_tokenizer(
        folder.path, folder.settings.pad_token_id, folder.start_id, rows
    )
    for fault in _misfits(folder, tokenizer, rows):
        raise CheckpointError(f"{fault}: they do not belong together. {REMEDY}")
    never = {*config.never_written, *tokenizer.unused}
    config = replace(config, never_written=tuple(sorted(never)))
    model, kind = converted(config, tensors, file), kind_of(tensors)
    training = {
        "converted_from": folder.name,
        "languages": languages_of(folder),
        "licence": folder.licence,
        "guided_alignment": folder.is_aligned,
    }
    save_checkpoint(out, model, tokenizer, training, dtype=kind)
    kind_name = str(kind).removeprefix("torch.")
    write_text(out / CARD, card(out.resolve().name, folder, model, tokenizer, kind_name))
    return tokenizer


def _misfits(
    folder: MarianFolder, tokenizer: PieceTokenizer, rows: tuple[int, int]
) -> Iterator[str]:
    """Where ids of the tokenizer mean nothing, or something else, to the model."""
    sizes = (tokenizer.src_vocab_size, tokenizer.vocab_size)
    for side, known, embedded in zip(("source", "target"), sizes, rows, strict=True):
        if known != embedded:
            vocabulary = f"The {side} vocabulary of {folder.path}"
            yield f"{vocabulary} has {known:,} tokens, its weights have {embedded:,}"
    padding = tokenizer.subword(tokenizer.pad_id)
    if tokenizer.unused and padding != PAD:
        more = f"The model has more tokens than the vocabulary of {folder.path}"
        yield f"{more}, and its padding is {padding} there"
    ends = folder.settings.eos_token_id
    if tokenizer.eos_id not in (ends if isinstance(ends, list) else [ends]):
        end = f"The model ends a sentence with token {ends}"
        yield f"{end}, and </s> is {tokenizer.eos_id} in its vocabulary"


if __name__ == "__main__":
    sys.exit(main())
