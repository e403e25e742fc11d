"""Trained models and their traces, loaded once and shared by all visitors."""

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from model import CheckpointError, TranslationModel, list_checkpoints, load
from model.checkpoint.architectures import TRANSFORMER
from model.checkpoint.checkpoint import read_arch, read_config
from model.checkpoint.fingerprint import version
from model.files.replacing import resolve
from model.transformer.config import ModelConfig
from model.translation_model import AnyTranslationModel, Loaded, R, require_transformer
from ui.state.address import Address, clamp_to_model, clamp_view
from ui.state.limits import check, refuse_long
from ui.state.memory import remember
from ui.state.visitor import visitor
from ui.text.languages import Languages

FOLDER_VARIABLE = "ATTENTION_EXPLORER_CHECKPOINTS"
FIRST = "en-fr"
Written = str | tuple[int, ...]  # a text, or the ids that a model wrote, BOS first


@dataclass(frozen=True)
class PageRun:
    """What one run of a page looks at. All that it draws is of this one model.

    A checkpoint that is trained again meanwhile changes the next run, and nothing of this one.
    """

    address: Address  # what was chosen, with checkpoints, a layer and a head that exist
    found: AnyTranslationModel | CheckpointError  # its model, or what is wrong with that
    page: str = ""
    views: Sequence[str] = ()  # the page's experiments

    @property
    def any_model(self) -> AnyTranslationModel:
        """The model, of any architecture; CheckpointError says what is wrong and what to do."""
        if isinstance(self.found, CheckpointError):
            raise self.found
        return self.found

    @property
    def model(self) -> TranslationModel:
        """The model, which has heads; CheckpointError as ``any_model``, or NoHeadsError."""
        return require_transformer(self.any_model)

    @property
    def config(self) -> ModelConfig | None:
        """The architecture; None where there is no model that has heads."""
        return self.found.config if isinstance(self.found, TranslationModel) else None


def open_run(page: str, names: Sequence[str], views: Sequence[str] = ()) -> PageRun:
    """Read what the visitor has chosen, as far as it exists, and keep it.

    A checkpoint that does not exist is told of; a layer becomes the last one without a word, since
    whoever goes from one model to another never chose it.

    ``names`` are the fields of the address that the page has, ``views`` its experiments, for which
    it has ``show`` too; the first one goes without saying.
    """
    names = (*names, "show") if views else names
    owner = visitor()
    address = owner.from_link(page, names)
    there = checkpoint_names()

    def known(field: str, name: str) -> str:
        if name and name not in there:
            owner.warn(field)
        return name if name in there[1:] else ""

    address = replace(
        address,
        checkpoint=known("checkpoint", address.checkpoint),
        second_checkpoint=known("second_checkpoint", address.second_checkpoint),
    )
    found: AnyTranslationModel | CheckpointError
    try:
        found = open_any_model(address.checkpoint)
    except CheckpointError as problem:  # the page will say so where the translation stands
        found = problem
    if isinstance(found, TranslationModel):
        address = clamp_to_model(address, found.config.n_layers, found.config.n_heads)
    if views:
        address = clamp_view(address, views)
    owner.to_link(page, address, names)
    return PageRun(address, found, page, views)


def checkpoints_folder() -> Path:
    """Where the trained models lie: ``checkpoints``, or where the environment says."""
    return Path(os.environ.get(FOLDER_VARIABLE) or Path(__file__).parents[2] / "checkpoints")


def checkpoint_names() -> list[str]:
    """All checkpoints, the one to begin with first."""
    return sorted(list_checkpoints(checkpoints_folder()), key=lambda name: (name != FIRST, name))


def folder_of(name: str) -> Path:
    """Where one of ``checkpoint_names`` lies."""
    return resolve(checkpoints_folder() / name)


def open_any_model(name: str) -> AnyTranslationModel:
    """The model of one checkpoint as it is now, or CheckpointError; "" and unknown: the first."""
    names = checkpoint_names() or [FIRST]
    folder = folder_of(name if name in names else names[0])
    return remember("models", version(folder), lambda: _load(folder))


def open_model(name: str) -> TranslationModel:
    """The same, of a Transformer; CheckpointError as ``open_any_model``, or NoHeadsError."""
    return require_transformer(open_any_model(name))


def _load(folder: Path) -> AnyTranslationModel:
    # One sentence is too little work to share: with two threads on two busy cores, which wait for
    # each other at every matrix product, a translation took 4 s instead of 0.1 s.
    torch.set_num_threads(1)
    return load(folder)


def architectures() -> dict[str, str]:
    """Name and architecture of every checkpoint whose configuration can be read."""
    found = {}
    for name in checkpoint_names():
        with suppress(CheckpointError):
            found[name] = read_arch(folder_of(name))
    return found


def transformers() -> dict[str, str]:
    """The Transformers by what an address calls them: the first checkpoint goes without saying."""
    first, *_ = checkpoint_names() or [""]
    names = [name for name, arch in architectures().items() if arch == TRANSFORMER]
    return {"" if name == first else name: name for name in names}


def languages_of(names: Iterable[str]) -> dict[str, Languages]:
    """What each of these checkpoints reads and writes; None where that is not known."""
    known = {name: read_config(folder_of(name))[1].get("languages") for name in names}
    return {name: tuple(languages or (None, None)) for name, languages in known.items()}


def trace_of(t: Loaded[Any, R], sentence: str, *, target: Written = "", beam: int = 1) -> R:
    """The trace of one sentence, from memory where somebody asked for it before.

    ``target`` is what the decoder reads, a text or what this very model wrote; empty: it writes,
    and keeps ``beam`` hypotheses. InputError where this text cannot be traced.
    """
    typed = target if isinstance(target, str) else ""
    refuse_long(sentence, target=typed)  # nothing is kept under a name of megabytes

    def trace() -> R:
        [tokens] = check(t, sentence, target=typed or None)
        return t.trace(sentence, tokens=tokens, target=target or None, beam=beam)

    return remember("traces", (t.version, sentence, target, beam), trace)
