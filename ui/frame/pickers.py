"""The controls of what pages share. Their values are the same in every language."""

from collections.abc import Sequence
from typing import Any, TypeVar

import streamlit as st

from model import TranslationModel
from model.corpora.which_language import LANGUAGES
from model.lessons.qkv.classroom import N_HEADS
from model.transformer.config import ModelConfig
from model.transformer.heads import KINDS
from ui.frame.controls import choose, offer, pick, type_text
from ui.state.address import BEAMS
from ui.state.choices import change, shared
from ui.state.limits import target_characters
from ui.state.models import PageRun, checkpoint_names, languages_of, transformers
from ui.text.examples import FIRST_SENTENCES, SENTENCES
from ui.text.translator import Translator

T = TypeVar("T")
# A label for those who do not see the page.
_HIDDEN: dict[str, Any] = {"label_visibility": "collapsed"}


def choose_named(
    name: str, options: Sequence[T], tr: Translator, *, label: str = "", **more: Any
) -> T:
    """One of a few, at first the first; their texts are ``<name>.label`` and ``<name>.<option>``.

    ``more`` is what ``choose`` takes; the ``key`` is the name if it is not among it.
    """
    more = {"key": name, "default": options[0]} | more
    more = {"format_func": lambda option: tr(f"{name}.{option}")} | more
    return choose(label or tr(f"{name}.label"), options, **more)


def choose_field(name: str, values: Sequence[T], tr: Translator, **more: Any) -> T:
    """The same for a field of the address."""
    return choose_named(name, values, tr, **shared(name) | more)


def sentence_box(tr: Translator) -> None:
    """Where the visitor types."""
    words = {"placeholder": tr("sentence.placeholder"), **_HIDDEN}
    type_text(tr("sentence.label"), **shared("sentence"), **words)


def ask_sentence(
    tr: Translator, sentences: Sequence[str] = SENTENCES
) -> st.delta_generator.DeltaGenerator:
    """The box and examples that fill it beside it, in a row to which more can be added."""
    row = st.container(key="question", horizontal=True, vertical_alignment="center")
    with row:
        sentence_box(tr)
        offer(
            tr("examples.label"),
            sentences,
            key="example",
            take=lambda sentence: change(sentence=sentence),
            placeholder=tr("examples.placeholder"),
            width=190,
            **_HIDDEN,
        )
    return row


def example_chips(tr: Translator) -> None:
    """Examples as buttons, of which all are in sight."""
    with st.container(key="chips", horizontal=True, gap="xsmall"):
        st.caption(tr("examples.chips"))
        for n, sentence in enumerate(FIRST_SENTENCES):
            st.button(sentence, key=f"chip.{n}", on_click=change, kwargs={"sentence": sentence})


def ask_translation(tr: Translator) -> None:
    """The checkpoint, the decoding, a translation of one's own."""
    names = checkpoint_names()
    with st.container(horizontal=True):
        pick(
            tr("settings.checkpoint"),
            ["", *names[1:]],
            **shared("checkpoint"),
            format_func=lambda name: name or next(iter(names), ""),
        )
        beams = {n: tr("settings.beam_of", beam=n) for n in BEAMS} | {1: tr("settings.greedy")}
        pick(tr("settings.beam"), BEAMS, **shared("beam"), format_func=beams.__getitem__)
    type_text(
        tr("settings.target"),
        **shared("target"),
        longest=target_characters(),
        help=tr("settings.target_help"),
        placeholder=tr("settings.target_placeholder"),
    )


def target_picker(checkpoint: str, tr: Translator) -> None:
    """The languages to translate into, if several: a Transformer for each, ``checkpoint`` first."""
    names, targets = transformers(), dict[str, str]()
    languages = languages_of(names.values())
    for called in sorted(names, key=lambda called: called != checkpoint):
        _, target = languages[names[called]]
        if target in LANGUAGES:
            targets.setdefault(target, called)
    if len(targets) > 1 and checkpoint in targets.values():
        named = {name: tr(f"language.{target}") for target, name in sorted(targets.items())}
        label, name_of = tr("target.label"), named.__getitem__
        choose(label, [*named], **shared("checkpoint"), format_func=name_of, **_HIDDEN)


def view_picker(run: PageRun, tr: Translator) -> str:
    """Which of a page's experiments; their texts are ``<page>.view_<view>``."""
    first, *others = run.views
    view: str = choose(
        tr("lesson.view"),
        ["", *others],
        **shared("show"),
        format_func=lambda name: tr(f"{run.page}.view_{name or first}"),
        wrap=True,
        **_HIDDEN,
    )
    return view or first


def attention_picker(tr: Translator) -> None:
    """Which of the three attentions."""
    choose_field("attention", KINDS, tr, wrap=True, **_HIDDEN)


def place_picker(config: ModelConfig | None, tr: Translator) -> None:
    """Layer and head alone; without a config the heads of the classroom example."""
    if config is not None:
        choose_place("layer", config.n_layers, tr)
    choose_place("head", N_HEADS if config is None else config.n_heads, tr)


def head_picker(t: TranslationModel, tr: Translator) -> None:
    """One head: its attention, its layer, its number."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        attention_picker(tr)
        place_picker(t.config, tr)


def choose_place(name: str, highest: int, tr: Translator, **more: Any) -> int:
    """One ``layer`` or ``head``, or ``second_layer`` …, from 1; at most the ``highest``."""
    place = shared(name) | more
    place["default"] = min(place["default"], highest)
    return choose(tr(f"{name}.label"), range(1, highest + 1), **place)
