"""Finding a head among all: what each was measured to do, and a filter for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Literal

import streamlit as st

from model import CheckpointError
from model.head_kinds.kinds import HEAD_KINDS, Found, HeadKind, kinds_of
from model.heads.analysis_file import Analysis
from ui.components.attention_grid import HeadMark
from ui.frame.controls import choose
from ui.frame.head_kinds import analysis_of, chips, says, sign
from ui.state.address import Address
from ui.state.models import open_model
from ui.text.markup import as_typed
from ui.text.translator import Translator

_Wanted = HeadKind | Literal["all"]
_ALL: Literal["all"] = "all"
_OfHeads = Sequence[tuple[Found, ...]]  # layer by layer


def find_heads(address: Address, tr: Translator) -> list[HeadMark]:
    """Ask what is looked for; the marks of all heads of this attention, layer by layer.

    A model that was not measured has none, and how it is measured is said.
    """
    analysis = _analysis(address)
    if analysis is None:
        name = as_typed(open_model(address.checkpoint).folder.name)
        st.caption(tr("heads.missing", name=name))
        return []
    heads = _of_heads(analysis, address)
    wanted = _choose(heads, tr)
    return [
        HeadMark(
            chips=chips(found, tr),
            faint=wanted != _ALL and wanted not in {one.kind for one in found},
        )
        for found in heads
    ]


def tell_kinds(address: Address, tr: Translator) -> None:
    """What was measured of the head that is shown large, if there is one and it does something."""
    analysis = _analysis(address) if address.view == "head" else None
    if analysis is None:
        return
    found = kinds_of(analysis, address.attention, address.layer - 1, address.head - 1)
    if found:
        st.caption(as_typed(tr("find.here", says="; ".join(says(one, tr) for one in found))))


def _analysis(address: Address) -> Analysis | None:
    with suppress(CheckpointError):  # the page of the heads says what is wrong
        return analysis_of(address.checkpoint)
    return None


def _of_heads(analysis: Analysis, address: Address) -> _OfHeads:
    config = open_model(address.checkpoint).config
    return [
        kinds_of(analysis, address.attention, layer, head)
        for layer in range(config.n_layers)
        for head in range(config.n_heads)
    ]


def _choose(heads: _OfHeads, tr: Translator) -> _Wanted:
    """Which kind is looked for, of those that this attention has."""
    counts = Counter(one.kind for found in heads for one in found)
    options = [kind for kind in HEAD_KINDS if kind in counts]
    if not options:
        return _ALL
    wanted = choose(
        tr("find.label"),
        (_ALL, *options),
        key="find.kind",
        default=_ALL,
        format_func=lambda kind: _option(kind, counts, tr),
        wrap=True,
    )
    st.caption(tr("find.legend") if wanted == _ALL else as_typed(tr(f"kind.{wanted}.means")))
    return wanted


def _option(kind: _Wanted, counts: Mapping[HeadKind, int], tr: Translator) -> str:
    if kind == _ALL:
        return tr("find.all")
    mark, name = sign(kind, tr), tr(f"kind.{kind}")
    if mark in name:  # a sign that is a word of the name need not stand before it
        return tr("find.word", name=name, n=counts[kind])
    return tr("find.option", sign=mark, name=name, n=counts[kind])
