"""The compared checkpoints, one for each architecture, and their traces of a sentence."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import streamlit as st

from model import CheckpointError, InputError, RecurrentTrace, Trace
from model.checkpoint.architectures import ARCHS, TRANSFORMER
from model.corpora.pairs import Languages
from model.translation_model import AnyTranslationModel
from ui.frame.page import problem_sentence
from ui.state import models
from ui.state.address import Address
from ui.text.markup import alert, paragraph
from ui.text.translator import Translator

Checkpoints = Mapping[str, str]  # architecture -> name of a checkpoint
_BY_AGE = (*ARCHS[1:], TRANSFORMER)  # architectures, oldest first


class ModelTrace(NamedTuple):
    """A model with its trace of a sentence."""

    model: AnyTranslationModel
    trace: Trace | RecurrentTrace


def checkpoints_to_compare(address: Address) -> Checkpoints:
    """Return one checkpoint for each architecture, from the oldest architecture to the newest.

    All translate between the same two languages: those of the selected checkpoint, if there are
    several architectures for them. The selected checkpoint represents its architecture. A damaged
    checkpoint is used only if there is no other.
    """
    arch_of_name = models.architectures()
    same_languages = _names_to_compare(arch_of_name, _chosen(address))
    checkpoints: dict[str, str] = {}
    for arch in _BY_AGE:
        names = [name for name in same_languages if arch_of_name[name] == arch]
        if address.checkpoint in names:
            checkpoints[arch] = address.checkpoint
        elif names:
            checkpoints[arch] = _first_undamaged(names)
    return checkpoints


def _names_to_compare(arch_of_name: Mapping[str, str], chosen: str) -> list[str]:
    """Return all checkpoints of one language pair.

    It is the pair of the chosen checkpoint if that has several architectures. Otherwise it is the
    pair that has most of them.

    Args:
        arch_of_name: the architecture of every checkpoint, by its name.
        chosen: name of the chosen checkpoint.
    """
    names_of_languages: dict[Languages, list[str]] = {}
    for name, languages in models.languages_of(arch_of_name).items():
        names_of_languages.setdefault(languages, []).append(name)

    def n_architectures(names: Collection[str]) -> int:
        return len({arch_of_name[name] for name in names})

    beside_chosen: list[str] = []
    for names in names_of_languages.values():
        if chosen in names:
            beside_chosen = names
    if n_architectures(beside_chosen) > 1:
        return beside_chosen
    # The selected language pair comes first, because ``max`` returns the first of equal values.
    return max([beside_chosen, *names_of_languages.values()], key=n_architectures)


def _first_undamaged(names: Sequence[str]) -> str:
    """Return the first checkpoint that can be opened, or the last checkpoint if none can."""
    for name in names[:-1]:
        try:
            models.open_any_model(name)
        except CheckpointError:
            continue
        return name
    return names[-1]


def _chosen(address: Address) -> str:
    """Return the name of the selected checkpoint, or of the first one; "" if there are none."""
    return address.checkpoint or next(iter(models.checkpoint_names()), "")


def show_other_languages(checkpoints: Checkpoints, address: Address, tr: Translator) -> None:
    """Show a note if the compared models have other languages than the selected model.

    Args:
        checkpoints: that are compared.
        address: with the chosen checkpoint.
        tr: the visitor's language.
    """
    languages_of_name = models.languages_of(models.architectures())
    compared = {languages_of_name[name] for name in checkpoints.values()}
    chosen = _chosen(address)
    if chosen in languages_of_name and languages_of_name[chosen] not in compared:
        st.html(paragraph(tr("from_rnn.other_languages", name=chosen), kind="note"))


def show_missing(checkpoints: Checkpoints, needed: Sequence[str], tr: Translator) -> None:
    """List each architecture without a checkpoint, with the command that trains one.

    Args:
        checkpoints: that are compared.
        needed: the architectures that the view needs.
        tr: the visitor's language.
    """
    for arch in needed:
        if arch not in checkpoints:
            st.html(alert(tr("from_rnn.missing", name=tr(f"from_rnn.arch.{arch}"), arch=arch)))


def trace_all(
    checkpoints: Checkpoints, sentence: str, tr: Translator, *, target: ModelTrace | None = None
) -> dict[str, ModelTrace]:
    """Trace a sentence with every model, and show each problem once.

    Args:
        checkpoints: of the models.
        sentence: that they read.
        tr: the visitor's language.
        target: the Transformer and its translation, if all models read that translation; None:
            each model writes its own.

    Returns:
        Architecture to trace, for the models that can read the sentence.
    """
    traces = {}
    problems = []
    for arch, name in checkpoints.items():
        try:
            if target and arch == TRANSFORMER:
                # as ids, because different tokens can have the same text
                model: AnyTranslationModel = target.model
                given: models.Target = target.trace.tgt_ids
            else:
                model = models.open_any_model(name)
                given = target.trace.target_text if target else ""
            traces[arch] = ModelTrace(model, models.trace_of(model, sentence, target=given))
        except (InputError, CheckpointError) as problem:
            problems.append(problem_sentence(problem, tr))
    for problem_text in dict.fromkeys(problems):
        st.html(alert(problem_text))
    return traces
