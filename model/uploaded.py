"""A checkpoint that somebody sends as a zip of its folder: unpacked, and looked at whole.

What is wrong with it is found here, before anybody sees the model, in every file that a page would
read later. A server that others use too sets limits that a folder of one's own has not.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import BinaryIO

from model.checkpoint.architectures import AnyConfig
from model.checkpoint.checkpoint import (
    CARD,
    CONFIG,
    HISTORY,
    TOKENIZER,
    WEIGHTS,
    read_config,
)
from model.checkpoint.mark import ANALYSIS
from model.checkpoint.snapshots import is_snapshot, list_snapshots, load_snapshot
from model.files.archive import ArchiveError, readable, unpack
from model.files.checkpoint_error import CheckpointError
from model.gallery.gallery_file import GALLERY, read_gallery
from model.heads.analysis import read_analysis
from model.heads.means import HEAD_MEANS, read_head_means
from model.training.state import STATE
from model.transformer.config import ModelConfig
from model.translation_model import AnyTranslationModel, TranslationModel, load

MOST_LAYERS = 16
MOST_HEADS = 16
MOST_TOKENS = 100_000
_LONGEST_SENTENCE = 500  # characters: some of what is wrong is repeated
_LARGEST = {  # bytes; weights have no limit of their own
    CONFIG: 1_000_000,
    TOKENIZER: 16_000_000,
    HISTORY: 4_000_000,
    CARD: 100_000,
    ANALYSIS: 4_000_000,
    GALLERY: 1_000_000,
    HEAD_MEANS: 4_000_000,
    STATE: 0,  # only a training reads it
}


def open_uploaded(file: BinaryIO, folder: Path, *, limit: int) -> AnyTranslationModel:
    """Unpack a checkpoint and load it.

    Args:
        file: a zip of its folder.
        folder: where its files will lie; nothing is there yet.
        limit: most bytes of the zip, and of all its files together.

    Raises:
        CheckpointError: the zip, or the checkpoint in it, cannot be used; ``ArchiveError`` where it
            is the zip. Then the folder is not there, and no message names it.
    """
    folder.mkdir(parents=True)
    try:
        unpack(file, folder, root=CONFIG, may_have=lambda name: _most(name, limit), limit=limit)
        return _looked_at(folder)
    except BaseException as error:
        shutil.rmtree(folder, ignore_errors=True)
        if not isinstance(error, CheckpointError) or isinstance(error, ArchiveError):
            raise
        told = str(error).replace(f"{folder}{os.sep}", "").replace(str(folder), folder.name)
        raise CheckpointError(readable(told, _LONGEST_SENTENCE)) from error


def _most(name: str, limit: int) -> int | None:
    """Bytes that a file may have; None for one that does not belong to a checkpoint."""
    return limit if name == WEIGHTS or is_snapshot(name) else _LARGEST.get(name)


def _looked_at(folder: Path) -> AnyTranslationModel:
    """The model, after every other file has been read once."""
    if (folder / CONFIG).exists():
        _check_size(read_config(folder)[0])
    t = load(folder)
    if isinstance(t, TranslationModel):
        read_analysis(folder)
        read_gallery(t)
        read_head_means(t)
        for step in list_snapshots(folder):
            load_snapshot(folder, t.config, step)
    return t


def _check_size(config: AnyConfig) -> None:
    """CheckpointError where one sentence would cost others too much, however few the weights."""
    counted = {"tokens": (config.vocab_size, MOST_TOKENS)}
    if isinstance(config, ModelConfig):
        counted |= {
            "source tokens": (config.src_vocab_size or 0, MOST_TOKENS),
            "layers": (config.n_layers, MOST_LAYERS),
            "heads": (config.n_heads, MOST_HEADS),
        }
    for what, (n, most) in counted.items():
        if n > most:
            raise CheckpointError(
                f"The model has {n:,} {what}, and at most {most:,} are taken here: open a smaller "
                "one, or start the app on a machine of your own."
            )
