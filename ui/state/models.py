"""Trained models and their traces, loaded once and shared by all visitors."""

import os
import shlex
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from model import CheckpointError, TranslationModel, list_checkpoints, load
from model.checkpoint.architectures import TRANSFORMER
from model.checkpoint.checkpoint import read_arch, read_training
from model.checkpoint.fingerprint import version
from model.corpora.pairs import Languages
from model.files.replacing import resolve
from model.hub.folder import is_hub_folder, memory_of_folder
from model.nn.attention_model import AttentionConfig
from model.translation_model import AnyTranslationModel, Loaded, R, require_transformer
from ui.state.address import Address, clamp_to_model, clamp_view
from ui.state.hub_choices import clamp_choices, with_choices
from ui.state.language import language_now
from ui.state.large_model import large_model
from ui.state.limits import read_within_limits, refuse_long
from ui.state.memory import memory, remember
from ui.state.speed import note_of_opening, note_of_translating, speed_of
from ui.state.visitor import visitor
from ui.text.translator import DEFAULT_LANGUAGE

FOLDER_VARIABLE = "ATTENTION_EXPLORER_CHECKPOINTS"
FIRST = "en-fr"  # the checkpoint of a fresh page
Target = str | tuple[int, ...]  # a typed text, or ids that a model has written, BOS first


@dataclass(frozen=True)
class PageRun:
    """The model and the choices for one run of a page.

    A checkpoint that is trained again in the meantime changes the next run, not this one.
    """

    address: Address  # the choices, with checkpoints, a layer and a head that exist
    model_or_error: AnyTranslationModel | CheckpointError  # an error if the model cannot be opened
    page: str = ""
    views: Sequence[str] = ()  # of the page, the first one first

    @property
    def any_model(self) -> AnyTranslationModel:
        """The model, of any architecture.

        Raises:
            CheckpointError: it cannot be opened; the message says why and what to do.
        """
        if isinstance(self.model_or_error, CheckpointError):
            raise self.model_or_error
        return self.model_or_error

    @property
    def model(self) -> TranslationModel:
        """The model, which is a Transformer.

        Raises:
            CheckpointError: as for ``any_model``.
            NoHeadsError: it is recurrent.
        """
        return require_transformer(self.any_model)

    @property
    def config(self) -> AttentionConfig | None:
        """The architecture; None if the model is recurrent or unusable."""
        if isinstance(self.model_or_error, TranslationModel):
            return self.model_or_error.config
        return None


def open_run(page: str, names: Sequence[str], views: Sequence[str] = ()) -> PageRun:
    """Read the visitor's choices, open the model, and write the choices into the link.

    The visitor is warned if a checkpoint does not exist. A layer or head that the model does not
    have becomes its last one without a warning: it was chosen for a different model.

    Args:
        page: the page's name.
        names: the fields of the address that the page has controls for.
        views: the page's views, the first one first; none where it has only one.
    """
    if views:
        names = (*names, "show")

    # 1. Read the link. Replace a checkpoint that does not exist by the first one
    owner = visitor()
    checkpoint_at_first = checkpoint_into(language_now())
    address = owner.from_link(page, names, first_checkpoint=checkpoint_at_first)
    checkpoints = checkpoint_names()
    for field, name in (
        ("checkpoint", address.checkpoint),
        ("second_checkpoint", address.second_checkpoint),
    ):
        if name and name not in checkpoints:
            owner.warn(field)
    if address.checkpoint not in checkpoints[1:]:
        address = replace(address, checkpoint="")  # the first one
    if address.second_checkpoint not in checkpoints[1:]:
        address = replace(address, second_checkpoint="")

    # 2. Open the model. On failure, the page shows the error in place of the translation
    model_or_error: AnyTranslationModel | CheckpointError
    try:
        model_or_error = open_any_model(address.checkpoint)
    except CheckpointError as error:
        model_or_error = error

    # 3. Limit layer, head, languages and view to the possible values
    if isinstance(model_or_error, TranslationModel):
        config = model_or_error.config
        address = clamp_to_model(address, config.n_layers, config.n_heads)
        address = clamp_choices(address, model_or_error)
        model_or_error = with_choices(model_or_error, address)
    if views:
        address = clamp_view(address, views)

    # 4. Write the choices into the link. Name the first checkpoint if a link without a checkpoint
    # would lead to a different one
    spelled_out = {}
    if checkpoint_at_first and not address.checkpoint:
        spelled_out["checkpoint"] = checkpoints[0]
    owner.to_link(page, address, names, spelled_out=spelled_out)
    return PageRun(address, model_or_error, page, views)


def folder_in_command(name: str) -> str:
    """Return the folder of a checkpoint, quoted for a shell command.

    >>> folder_in_command("my model")
    "'checkpoints/my model'"
    """
    return shlex.quote(f"checkpoints/{name}")


def checkpoints_folder() -> Path:
    """Return the folder of all models: the value of ``FOLDER_VARIABLE`` or ``checkpoints``."""
    return Path(os.environ.get(FOLDER_VARIABLE) or Path(__file__).parents[2] / "checkpoints")


def checkpoint_names() -> list[str]:
    """Return the names of all checkpoints, the default checkpoint first."""
    return sorted(list_checkpoints(checkpoints_folder()), key=lambda name: (name != FIRST, name))


def folder_of(name: str) -> Path:
    """Return the folder of a checkpoint, given its name in ``checkpoint_names``."""
    return resolve(checkpoints_folder() / name)


def open_any_model(name: str) -> AnyTranslationModel:
    """Return the model of a checkpoint, in the version that is on disk now.

    Args:
        name: of the checkpoint; "" or an unknown name means the first one.

    Raises:
        CheckpointError: it cannot be opened.
    """
    names = checkpoint_names() or [FIRST]
    folder = folder_of(name if name in names else names[0])
    if is_large(folder):
        with note_of_opening(folder):
            return large_model.get(version(folder), lambda: _load(folder))
    return remember("models", version(folder), lambda: _load(folder))


def open_model(name: str) -> TranslationModel:
    """Return the Transformer of a checkpoint.

    Args:
        name: as for ``open_any_model``.

    Raises:
        CheckpointError: it cannot be opened.
        NoHeadsError: it is recurrent.
    """
    return require_transformer(open_any_model(name))


def is_large(folder: Path) -> bool:
    """Return whether a folder holds a Hub model that is too large for the shared cache."""
    if not is_hub_folder(folder):
        return False
    with suppress(CheckpointError):  # the page shows it when the model is opened
        return memory_of_folder(folder) > memory().limit
    return False


def _load(folder: Path) -> AnyTranslationModel:
    """Load a model, and measure its speed if it is large."""
    # A single sentence is too little work for two threads. On two busy cores, the threads wait for
    # each other at every matrix product, and a translation took 4 s instead of 0.1 s.
    torch.set_num_threads(1)
    t = load(folder)
    speed_of(t)  # measured now, so that the first sentence has an estimate
    return t


def architectures() -> dict[str, str]:
    """Return the name of every checkpoint with a readable configuration -> its architecture."""
    architecture_of = {}
    for name in checkpoint_names():
        with suppress(CheckpointError):
            architecture_of[name] = read_arch(folder_of(name))
    return architecture_of


def is_hub_model(name: str) -> bool:
    """Return whether a checkpoint is a model of the Hugging Face Hub."""
    return is_hub_folder(folder_of(name))


def transformers() -> dict[str, str]:
    """Return every Transformer: its name in an address -> the name of its checkpoint.

    The two names are equal, except that the first checkpoint is "" in an address.
    """
    first, *_ = checkpoint_names() or [""]
    names = [name for name, arch in architectures().items() if arch == TRANSFORMER]
    return {"" if name == first else name: name for name in names}


def languages_of(names: Iterable[str]) -> dict[str, Languages]:
    """Return name of checkpoint -> its source and target language; None for an unknown one."""
    languages_of_name = {}
    for name in names:
        training = read_training(folder_of(name))
        languages_of_name[name] = tuple(training.get("languages") or (None, None))
    return languages_of_name


def checkpoint_into(language: str) -> str:
    """Return the checkpoint that a new visitor sees, by its name in an address.

    A Chinese reader sees more in a translation into Chinese than in one into French.

    Args:
        language: of the visitor.

    Returns:
        A Transformer of this project that writes this language and reads what the first checkpoint
        reads; "", the first checkpoint, if there is none.
    """
    if language == DEFAULT_LANGUAGE:
        return ""
    first, *_ = checkpoint_names() or [""]
    names = transformers()
    languages = languages_of(names.values())
    source, target = languages.get(first, (None, None))
    if source is None or target == language:
        return ""
    for name_in_address, name in names.items():
        if languages[name] == (source, language) and not is_hub_model(name):
            return name_in_address
    return ""


def trace_of(t: Loaded[Any, R], sentence: str, *, target: Target = "", beam: int = 1) -> R:
    """Return the trace of one sentence, from the cache if it was computed before.

    Args:
        t: the model.
        sentence: as typed.
        target: what the decoder reads: a typed text, or the ids that this model has written. "":
            the model translates.
        beam: hypotheses that it keeps while it translates; 1 means greedy search.

    Raises:
        InputError: a text is empty or too long.
    """
    typed = target if isinstance(target, str) else ""
    refuse_long(sentence, target=typed)  # a text of megabytes must not become a key in memory

    def trace() -> R:
        [tokens] = read_within_limits(t, sentence, target=typed or None)
        with note_of_translating(t, len(tokens), beam=beam, is_given=bool(target)):
            return t.trace(sentence, tokens=tokens, target=target or None, beam=beam)

    return remember("traces", (t.version, sentence, target, beam), trace)
