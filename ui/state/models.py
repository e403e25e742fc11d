"""Trained models and their traces, loaded once and shared by all visitors."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from model import CheckpointError, Trace, list_checkpoints, load
from model.checkpoint.checkpoint import read_arch, read_config
from model.files.replacing import standing
from model.translation_model import require_transformer
from ui.state.address import Address, possible, within
from ui.state.link import ignore
from ui.state.memory import remember
from ui.state.typed import check, refuse_long
from ui.text.languages import Languages

if TYPE_CHECKING:
    from model import RecurrentTrace, TranslationModel
    from model.transformer.config import ModelConfig
    from model.translation_model import AnyTranslationModel

FOLDER_VARIABLE = "ATTENTION_EXPLORER_CHECKPOINTS"
FIRST = "en-fr"
Version = tuple[str, tuple[tuple[str, int, int], ...]]  # a folder; name, time, bytes of its files

Written = str | tuple[int, ...]  # a text, or the ids that a model wrote, BOS first


def checkpoints_folder() -> Path:
    """Where the trained models lie: ``checkpoints``, or where the environment says."""
    return Path(os.environ.get(FOLDER_VARIABLE) or Path(__file__).parents[2] / "checkpoints")


def checkpoint_names() -> list[str]:
    """All checkpoints, the one to begin with first."""
    return sorted(list_checkpoints(checkpoints_folder()), key=lambda name: (name != FIRST, name))


def folder_of(name: str) -> Path:
    """Where one of ``checkpoint_names`` lies."""
    return standing(checkpoints_folder() / name)


def open_model(name: str) -> TranslationModel:
    """The Transformer of one checkpoint; an unknown or empty name means the first.

    Raises:
        CheckpointError: a sentence that says what is wrong with it and what to do.
    """
    return require_transformer(open_any_model(name))


def open_any_model(name: str) -> AnyTranslationModel:
    """The model of one checkpoint, of any architecture.

    Raises:
        CheckpointError: as ``open_model``.
    """
    return _open(name)[1]


def architectures() -> dict[str, str]:
    """Name and architecture of every checkpoint whose configuration can be read."""
    found = {}
    for name in checkpoint_names():
        with suppress(CheckpointError):
            found[name] = read_arch(folder_of(name))
    return found


def languages_of(names: Iterable[str]) -> dict[str, Languages]:
    """What each of these checkpoints reads and writes; None where that is not known."""
    found = {}
    for name in names:
        source, target = read_config(folder_of(name))[1].get("languages", (None, None))
        found[name] = (source, target)
    return found


def fitting(address: Address) -> Address:
    """The same address with checkpoints, a layer and a head that exist.

    A checkpoint that does not is told of; a layer becomes the last one without a word, since
    whoever goes from one model to another never chose it.
    """
    names = checkpoint_names()
    _tell_missing(
        {"checkpoint": address.checkpoint, "second_checkpoint": address.second_checkpoint}
    )
    if address.checkpoint not in names[1:]:
        address = replace(address, checkpoint="")
    if address.second_checkpoint not in names[1:]:
        address = replace(address, second_checkpoint="")
    config = config_of(address)
    if config is None:
        return address  # the page will say so where the translation stands
    return possible(within(address, n_layers=config.n_layers, n_heads=config.n_heads))


def _tell_missing(asked: dict[str, str]) -> None:
    there = ["", *checkpoint_names()]
    for field, name in asked.items():
        if name not in there:
            ignore(field)


def config_of(address: Address) -> ModelConfig | None:
    """The architecture of its checkpoint; None where that cannot be used."""
    try:
        return open_model(address.checkpoint).config
    except CheckpointError:
        return None


def open_trace(name: str, sentence: str, *, target: Written, beam: int) -> Trace:
    """A Transformer's trace of one sentence; see ``open_any_trace``.

    Raises:
        CheckpointError: as ``open_model``.
        ValueError: a sentence that says why this text cannot be traced.
    """
    open_model(name)
    trace = open_any_trace(name, sentence, target=target, beam=beam)
    assert isinstance(trace, Trace)
    return trace


def open_any_trace(
    name: str, sentence: str, *, target: Written, beam: int
) -> Trace | RecurrentTrace:
    """The trace of one sentence, from memory where somebody asked for it before.

    Args:
        name: of the checkpoint.
        sentence: the source.
        target: what the decoder reads, a text or what this very model wrote; empty: it writes.
        beam: hypotheses kept while it writes.

    Raises:
        CheckpointError: as ``open_any_model``.
        ValueError: a sentence that says why this text cannot be traced.
    """
    typed = target if isinstance(target, str) else ""
    refuse_long(sentence, target=typed)  # nothing is kept under a name of megabytes
    now, t = _open(name)

    def trace() -> Trace | RecurrentTrace:
        check(t, sentence, target=typed or None)
        return t.trace(sentence, target=target or None, beam=beam)

    return remember("traces", (now, sentence, target, beam), trace)


def version(folder: Path) -> Version:
    """A checkpoint as it is now: another one once a file of it has changed, come or gone.

    What is kept under it is forgotten when the checkpoint is trained again.
    """
    files = []
    with suppress(OSError):
        for path in folder.iterdir():
            with suppress(OSError):  # it has just been renamed, or is a link to nothing
                found = path.stat()
                files.append((path.name, found.st_mtime_ns, found.st_size))
    return str(folder), tuple(sorted(files))


def version_of(name: str) -> Version:
    """That of a checkpoint by its name; an unknown or empty name means the first."""
    return version(_folder(name))


def score(model: AnyTranslationModel) -> float | None:
    """BLEU on the dev set, the newest in its training history, where one was measured."""
    measured = [entry["dev_bleu"] for entry in model.history if "dev_bleu" in entry]
    return float(measured[-1]) if measured else None


def _open(name: str) -> tuple[Version, AnyTranslationModel]:
    folder = _folder(name)
    now = version(folder)
    return now, remember("models", now, lambda: _load(folder))


def _load(folder: Path) -> AnyTranslationModel:
    # One sentence is too little work to share: with two threads on two busy cores, which wait for
    # each other at every matrix product, a translation took 4 s instead of 0.1 s.
    torch.set_num_threads(1)
    return load(folder)


def _folder(name: str) -> Path:
    names = checkpoint_names() or [FIRST]
    return folder_of(name if name in names else names[0])
