"""The snapshots of a model and what they make of a sentence, computed once for all visitors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from model import CheckpointError
from model.architectures import TRANSFORMER
from model.learning_timeline import SENTENCES, Timeline, read_snapshots, timeline, weights_only
from model.snapshots import SNAPSHOTS, list_snapshots, load_snapshot
from model.trace import KINDS, Kind, take_trace
from ui.models import architectures, checkpoints_folder

if TYPE_CHECKING:
    from model import Trace, TranslationModel
    from model.transformer import Transformer


def models_with_snapshots() -> list[str]:
    """Names of the Transformers that have some."""
    return [
        name
        for name, arch in architectures().items()
        if arch == TRANSFORMER and list_snapshots(checkpoints_folder() / name)
    ]


def open_snapshots(t: TranslationModel) -> Mapping[int, Transformer]:
    """Step to model, in order.

    Raises:
        CheckpointError: one of them is damaged or another model's.
    """
    return _snapshots(t, str(t.folder), _stamp(t))


def read_target(t: TranslationModel, text: str, target: tuple[int, ...]) -> Mapping[int, Trace]:
    """Step to trace of the snapshot that reads this text and these ids of its translation.

    Raises:
        CheckpointError: as ``open_snapshots``.
        InputError: the text is empty or too long.
    """
    return _read_target(t, str(t.folder), _stamp(t), text, target)


def write_own(t: TranslationModel, step: int, text: str) -> Trace:
    """The trace of one snapshot that translates the sentence itself.

    Raises:
        CheckpointError: as ``open_snapshots``.
        InputError: the text is empty or too long.
    """
    return _write_own(t, str(t.folder), _stamp(t), step, text)


def measure(t: TranslationModel) -> Mapping[Kind, Timeline]:
    """The timeline of all three attentions over the fixed sentences, as the model translates them.

    Empty for a model that writes nothing.

    Raises:
        CheckpointError: as ``open_snapshots``.
    """
    return _measure(t, str(t.folder), _stamp(t))


def timelines(pairs: Sequence[Mapping[int, Trace]]) -> dict[Kind, Timeline]:
    """The timeline of all three attentions over these pairs, as all snapshots read them."""
    if not pairs:
        return {}
    traces = [[pair[step] for pair in pairs] for step in pairs[0]]
    return {kind: timeline(traces, kind) for kind in KINDS}


@st.cache_resource(max_entries=4, show_spinner=False)
def _snapshots(_t: TranslationModel, folder: str, stamp: int) -> dict[int, Transformer]:  # noqa: ARG001
    return {step: load_snapshot(_t, step) for step in list_snapshots(_t.folder)}


@st.cache_resource(max_entries=8, show_spinner=False)
def _read_target(
    _t: TranslationModel, folder: str, stamp: int, text: str, target: tuple[int, ...]
) -> dict[int, Trace]:
    snapshots = _snapshots(_t, folder, stamp)
    traces = read_snapshots(_t, list(snapshots.values()), text, target)
    return dict(zip(snapshots, traces, strict=True))


@st.cache_resource(max_entries=64, show_spinner=False)
def _write_own(_t: TranslationModel, folder: str, stamp: int, step: int, text: str) -> Trace:
    return weights_only(take_trace(_snapshots(_t, folder, stamp)[step], _t.tokenizer, text))


@st.cache_resource(max_entries=4, show_spinner=False)
def _measure(_t: TranslationModel, folder: str, stamp: int) -> dict[Kind, Timeline]:
    snapshots = _snapshots(_t, folder, stamp)
    pairs = []
    for sentence, hypothesis in zip(SENTENCES, _t.translate(SENTENCES), strict=True):
        if not _t.decode(hypothesis).strip():
            continue  # a model that has learned nothing writes nothing
        ids = [_t.tokenizer.bos_id, *hypothesis.ids]
        found = read_snapshots(_t, list(snapshots.values()), sentence, ids)
        pairs.append(dict(zip(snapshots, found, strict=True)))
    return timelines(pairs)


def _stamp(t: TranslationModel) -> int:
    """Changes when a snapshot does.

    Raises:
        CheckpointError: they have been removed.
    """
    try:
        return max(path.stat().st_mtime_ns for path in (t.folder, t.folder / SNAPSHOTS))
    except FileNotFoundError as error:
        raise CheckpointError(
            f"The folder {t.folder / SNAPSHOTS} has been removed. Restore it, or reload the page."
        ) from error
