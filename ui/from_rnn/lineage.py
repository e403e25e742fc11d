"""Who stands side by side: one checkpoint for each architecture, and what it made of a sentence."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import streamlit as st

from model import CheckpointError, InputError, RecurrentTrace, Trace
from model.checkpoint.architectures import ARCHS, TRANSFORMER
from model.translation_model import AnyTranslationModel
from ui.frame.page import in_words
from ui.state import models
from ui.state.address import Address
from ui.text.languages import Languages
from ui.text.markup import alert, escape_markdown
from ui.text.translator import Translator

Members = Mapping[str, str]  # architecture -> checkpoint
ORDER = (*ARCHS[1:], TRANSFORMER)  # as they came


class Read(NamedTuple):
    """What a model made of a sentence."""

    t: AnyTranslationModel
    trace: Trace | RecurrentTrace


def members(address: Address) -> Members:
    """The checkpoints, oldest architecture first, all of the same two languages.

    They are the languages of the chosen checkpoint, which stands for its own kind; where these have
    one kind only, those of which there are most. A damaged one stands for its kind only where there
    is no other.
    """
    found: dict[str, str] = {}
    kinds = models.architectures()
    family = _family(kinds, _chosen(address))
    for arch in ORDER:
        names = [name for name in family if kinds[name] == arch]
        if address.checkpoint in names:
            found[arch] = address.checkpoint
        elif names:
            found[arch] = next(filter(_is_sound, names[:-1]), names[-1])
    return found


def _family(kinds: Mapping[str, str], name: str) -> list[str]:
    """The checkpoints of one pair of languages, by name."""
    families: dict[Languages, list[str]] = {}
    for other, languages in models.languages_of(kinds).items():
        families.setdefault(languages, []).append(other)

    def n_kinds(family: Sequence[str]) -> int:
        return len({kinds[name] for name in family})

    own = next((family for family in families.values() if name in family), [])
    return own if n_kinds(own) > 1 else max([own, *families.values()], key=n_kinds)


def _chosen(address: Address) -> str:
    """The checkpoint's name; empty where there is none at all."""
    return address.checkpoint or next(iter(models.checkpoint_names()), "")


def _is_sound(name: str) -> bool:
    try:
        models.open_any_model(name)
    except CheckpointError:
        return False
    return True


def show_other_languages(present: Members, address: Address, tr: Translator) -> None:
    """A sentence where the models of this page are of other languages than the chosen one."""
    languages, name = models.languages_of(models.architectures()), _chosen(address)
    shown = {languages[other] for other in present.values()}
    if name in languages and languages[name] not in shown:
        st.html(alert(tr("from_rnn.other_languages", name=escape_markdown(name))))


def show_missing(present: Members, needed: Sequence[str], tr: Translator) -> None:
    """A sentence for each architecture that has no checkpoint, with the command that makes one."""
    for arch in needed:
        if arch not in present:
            st.html(alert(tr("from_rnn.missing", name=tr(f"from_rnn.arch.{arch}"), arch=arch)))


def read_all(
    present: Members, sentence: str, tr: Translator, *, target: Read | None = None
) -> dict[str, Read]:
    """By architecture what it made of the sentence, if it can read it; each problem is told once.

    ``target`` is the Transformer and its translation, which all read; None: each writes its own.
    """
    given: models.Written
    found, told = {}, []
    text = target.trace.target_text if target else ""
    for arch, name in present.items():
        try:
            if target and arch == TRANSFORMER:  # it reads the very tokens that it wrote
                t, given = target.t, target.trace.tgt_ids
            else:
                t, given = models.open_any_model(name), text
            found[arch] = Read(t, models.trace_of(t, sentence, target=given))
        except (InputError, CheckpointError) as problem:
            told.append(in_words(problem, tr))
    for problem_text in dict.fromkeys(told):
        st.html(alert(problem_text))
    return found
