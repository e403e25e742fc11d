"""The explorer's controls. Their values are the same in every language; only labels differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from model import TranslationModel
from model.data.which_language import LANGUAGES
from model.lessons.qkv.classroom import N_HEADS
from model.maps.view import AGGREGATES, CELLS, UNITS
from model.trace.residual_stream import STACKS, Stack
from model.trace.transformer import ROWS
from model.transformer.config import ModelConfig
from model.transformer.heads import KINDS
from ui.frame.controls import choose, pick, type_text
from ui.state.address import BEAMS, OF_HEADS, PANELS, SPECIALS, Address
from ui.state.choices import change, shared
from ui.state.limits import target_characters
from ui.state.models import checkpoint_names, languages_of, transformers
from ui.text.translator import Translator


def settings_box(tr: Translator) -> None:
    """What is set once: the checkpoint, the decoding, a translation of one's own."""
    with st.popover(tr("settings.label")):
        names = checkpoint_names()
        pick(
            tr("settings.checkpoint"),
            ["", *names[1:]],
            **shared("checkpoint"),
            format_func=lambda name: name or next(iter(names), ""),
        )
        pick(
            tr("settings.beam"),
            BEAMS,
            **shared("beam"),
            format_func=lambda n: (
                tr("settings.greedy") if n == 1 else tr("settings.beam_of", beam=n)
            ),
        )
        type_text(
            tr("settings.target"),
            **shared("target"),
            longest=target_characters(),
            help=tr("settings.target_help"),
            placeholder=tr("settings.target_placeholder"),
        )


def target_picker(checkpoint: str, tr: Translator) -> None:
    """The languages to translate into, where there are several: one Transformer for each.

    Args:
        checkpoint: which stands for its own language.
    """
    names, targets = transformers(), dict[str, str]()
    languages = languages_of(names.values())
    for called in sorted(names, key=lambda called: called != checkpoint):
        _, target = languages[names[called]]
        if target in LANGUAGES:
            targets.setdefault(target, called)
    if len(targets) > 1 and checkpoint in targets.values():
        named = {name: tr(f"language.{target}") for target, name in sorted(targets.items())}
        choose(
            tr("target.label"),
            [*named],
            **shared("checkpoint"),
            format_func=named.__getitem__,
            label_visibility="collapsed",
        )


def attention_picker(tr: Translator) -> None:
    """Which of the three attentions."""
    choose(
        tr("attention.label"),
        KINDS,
        **shared("attention"),
        format_func=lambda name: tr(f"attention.{name}"),
        label_visibility="collapsed",
        wrap=True,
    )


def panel_picker(tr: Translator, **how: Any) -> None:
    """What the explorer shows large; ``how`` as for ``choose``."""
    choose(
        tr("panel.label"),
        PANELS,
        **shared("panel"),
        format_func=lambda name: tr(f"panel.{name}"),
        label_visibility="collapsed",
        wrap=True,
        **how,
    )


def view_picker(page: str, views: Sequence[str], tr: Translator) -> str:
    """Which of a page's experiments; the first at the beginning, which needs no word in a link.

    Args:
        page: its name; its texts are ``<page>.view_<view>``.
        views: names of the experiments.
    """
    view: str = choose(
        tr("lesson.view"),
        ["", *views[1:]],
        **shared("show"),
        format_func=lambda name: tr(f"{page}.view_{name or views[0]}"),
        label_visibility="collapsed",
        wrap=True,
    )
    return view or views[0]


def place_picker(config: ModelConfig | None, tr: Translator, *, heads: bool = True) -> None:
    """Layer and head alone; without a config the heads of the classroom example."""
    if config is not None:
        choose_place("layer", config.n_layers, tr)
    if heads:
        choose_place("head", N_HEADS if config is None else config.n_heads, tr)


def choose_stack(key: str, tr: Translator, *, default: Stack = "encoder") -> Stack:
    """Encoder or decoder."""
    return choose(
        tr("stack.label"),
        STACKS,
        key=key,
        default=default,
        format_func=lambda stack: tr(f"stack.{stack}"),
    )


def choose_place(name: str, highest: int, tr: Translator, **how: Any) -> int:
    """One layer, or one head; where what was chosen is beyond the last one, the last one.

    Args:
        name: ``"layer"`` or ``"head"``, or with ``"second_"`` before it.
        highest: number of the last one.
        how: as for ``choose``.
    """
    place = shared(name)
    place["default"] = min(place["default"], highest)
    chosen: int = choose(tr(f"{name}.label"), range(1, highest + 1), **place, **how)
    return chosen


def head_picker(address: Address, t: TranslationModel, tr: Translator) -> None:
    """What rows and cells are; where a panel shows heads, which ones and how together, too."""
    with st.container(horizontal=True):
        if address.panel in OF_HEADS:
            choose_place("layer", t.config.n_layers, tr)
            choose(
                tr("view.label"),
                [view for view in AGGREGATES if view != "rollout" or address.has_rollout],
                **shared("view"),
                format_func=lambda name: tr(f"view.{name}"),
                wrap=True,
            )
            choose_place("head", t.config.n_heads, tr, on_change=change, kwargs={"view": "head"})
        if address.attention != "encoder_self":
            _choice("rows", ROWS, tr)
        _choice("cells", CELLS, tr)
        _choice("unit", UNITS, tr)
        start, end = t.tokenizer.ends
        _choice("special", SPECIALS, tr, start=start, end=end)


def _choice(name: str, values: Sequence[str], tr: Translator, **said: str) -> None:
    choose(
        tr(f"{name}.label", **said),
        values,
        **shared(name),
        format_func=lambda value: tr(f"{name}.{value}"),
    )
