"""The explorer's controls. Their values are the same in every language; only labels differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from model.classroom import N_HEADS
from model.config import ModelConfig
from ui.address import (
    ATTENTIONS,
    BEAMS,
    CELLS,
    PANELS,
    ROWS,
    SPECIALS,
    UNITS,
    VIEWS,
    Address,
    possible,
)
from ui.choices import set_choice, widget_key
from ui.limits import target_characters
from ui.models import checkpoint_names
from ui.translator import Translator


def settings_box(tr: Translator) -> None:
    """What is set once: the checkpoint, the decoding, a translation of one's own."""
    with st.popover(tr("settings.label")):
        names = checkpoint_names()
        st.selectbox(
            tr("settings.checkpoint"),
            ["", *names[1:]],
            key=widget_key("checkpoint"),
            format_func=lambda name: name or next(iter(names), ""),
        )
        st.selectbox(
            tr("settings.beam"),
            BEAMS,
            key=widget_key("beam"),
            format_func=lambda n: (
                tr("settings.greedy") if n == 1 else tr("settings.beam_of", beam=n)
            ),
        )
        st.text_input(
            tr("settings.target"),
            max_chars=target_characters(),
            key=widget_key("target"),
            help=tr("settings.target_help"),
            placeholder=tr("settings.target_placeholder"),
            autocomplete="off",
        )


def attention_picker(tr: Translator) -> None:
    """Which of the three attentions."""
    st.segmented_control(
        tr("attention.label"),
        ATTENTIONS,
        key=widget_key("attention"),
        format_func=lambda name: tr(f"attention.{name}"),
        required=True,
        label_visibility="collapsed",
        wrap=True,
    )


def panel_picker(tr: Translator) -> None:
    """How the chosen attention is shown."""
    st.segmented_control(
        tr("panel.label"),
        PANELS,
        key=widget_key("panel"),
        format_func=lambda name: tr(f"panel.{name}"),
        required=True,
        label_visibility="collapsed",
        wrap=True,
    )


def view_picker(page: str, views: Sequence[str], tr: Translator) -> str:
    """Which of a page's experiments; the first at the beginning, which needs no word in a link.

    Args:
        page: its name; its texts are ``<page>.view_<view>``.
        views: names of the experiments.
        tr: the visitor's language.
    """
    view = st.segmented_control(
        tr("lesson.view"),
        ["", *views[1:]],
        key=widget_key("show"),
        format_func=lambda name: tr(f"{page}.view_{name or views[0]}"),
        required=True,
        label_visibility="collapsed",
        wrap=True,
    )
    return str(view or views[0])


def place_picker(config: ModelConfig | None, tr: Translator, *, heads: bool = True) -> None:
    """Layer and head alone; without a config the heads of the classroom example."""
    if config is not None:
        _numbers("layer", config.n_layers, tr)
    if heads:
        _numbers("head", N_HEADS if config is None else config.n_heads, tr)


def _numbers(name: str, highest: int, tr: Translator) -> None:
    st.segmented_control(
        tr(f"{name}.label"), range(1, highest + 1), key=widget_key(name), required=True
    )


def head_picker(address: Address, *, n_layers: int, n_heads: int, tr: Translator) -> None:
    """Layer, head, how heads are put together, and what rows and cells are."""
    with st.container(horizontal=True):
        st.segmented_control(
            tr("layer.label"), range(1, n_layers + 1), key=widget_key("layer"), required=True
        )
        defined = possible(replace(address, view="rollout")).view == "rollout"
        st.segmented_control(
            tr("view.label"),
            VIEWS if defined else VIEWS[:-1],
            key=widget_key("view"),
            format_func=lambda name: tr(f"view.{name}"),
            required=True,
            wrap=True,
        )
        st.segmented_control(
            tr("head.label"),
            range(1, n_heads + 1),
            key=widget_key("head"),
            on_change=set_choice,
            args=("view", "head"),
            required=True,
        )
        if address.attention != "encoder_self":
            _choice("rows", ROWS, tr)
        _choice("cells", CELLS, tr)
        _choice("unit", UNITS, tr)
        _choice("special", SPECIALS, tr)


def _choice(name: str, values: Sequence[str], tr: Translator) -> None:
    st.segmented_control(
        tr(f"{name}.label"),
        values,
        key=widget_key(name),
        format_func=lambda value: tr(f"{name}.{value}"),
        required=True,
    )
