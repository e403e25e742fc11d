"""Padding behind the visitor's sentence: columns to click on, and what the model makes of it."""

from __future__ import annotations

import re

import numpy as np
import streamlit as st

from model import Trace, TranslationModel
from model.lessons.masks.padded_batch import PaddingEffect, padding_effect
from model.pictures.tokens import display
from ui.components.matrices import Matrix, show_matrices
from ui.export.figure import figure
from ui.export.provenance import About, about
from ui.frame.controls import slide
from ui.frame.pickers import place_picker
from ui.state import link
from ui.state.address import Address
from ui.state.memory import remember
from ui.text.markup import alert, gloss
from ui.text.translator import Translator

_MOST = 32  # tokens of padding
_HIDDEN, _REFUSED = "masks.hidden_columns", "masks.column_refused"


def show_padding_seen(trace: Trace, t: TranslationModel, address: Address, tr: Translator) -> None:
    """Where one head of the encoder looks; what becomes of the encoder's result under it."""
    text, length = address.sentence, len(trace.src)
    tokens = trace.src_tokens
    padding = frozenset(range(length, length + _MOST))
    hidden = _hidden(tokens)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        n = slide(tr("masks.n_padding"), 0, _MOST, default=8, key="masks.n_padding", width=260)
        st.button(
            tr("masks.show_all"), on_click=_hide, args=(tokens, frozenset()), key="masks.show"
        )
        st.button(
            tr("masks.hide_padding"), on_click=_hide, args=(tokens, padding), key="masks.hide"
        )
        place_picker(t.config, tr)
    if st.session_state.pop(_REFUSED, False):
        st.html(alert(tr("masks.column_refused")))
    effect = _effect(t, text, n, hidden)
    picture, result = st.columns([3, 2], gap="large")
    with picture:
        what = about(
            t,
            trace,
            page="masks",
            attention="encoder_self",
            layer=address.layer,
            head=address.head,
            n_padding=n,
            columns_hidden=sorted(hidden),
        )
        _show_weights(effect, address, tokens, t.languages[0], what, tr)
    with result:
        _show_share(effect, address, tr)
        _show_effect("seen", effect, t, tr)
        _show_effect("hidden", _effect(t, text, n, padding), t, tr)
    st.markdown(tr.section("masks", "padding"))


def _effect(t: TranslationModel, text: str, n: int, hidden: frozenset[int]) -> PaddingEffect:
    key = t.version, text, n, hidden
    return remember("padding", key, lambda: padding_effect(t, text, n, hidden=hidden))


def _show_weights(
    effect: PaddingEffect,
    address: Address,
    sentence: tuple[str, ...],
    language: str | None,
    what: About,
    tr: Translator,
) -> None:
    tokens, length = display(effect.tokens), len(sentence)
    weights = effect.weights[address.place]
    matrix = Matrix(
        np.where(effect.visible, weights, np.nan),
        tr("masks.padding_weights"),
        f"({length}, {len(tokens)})",
        row_labels=tokens[:length],
        column_labels=tokens,
        languages=(language, language),
        scale="weights",
    )
    with figure("padding", tr, title=tr("masks.padding_weights"), about=what) as shown:
        show_matrices(
            [matrix],
            shown,
            key="masks.columns",
            on_pick=lambda _, __, column: _toggle(sentence, column),
        )
    st.caption(tr("masks.column_hint", n=int((~effect.visible).sum())))


def _show_share(effect: PaddingEffect, address: Address, tr: Translator) -> None:
    share = 100 * effect.share  # (n_layers, H), percent
    st.metric(tr("masks.padding_share"), f"{share[address.place]:.1f} %")
    st.caption(tr("masks.padding_range", least=f"{share.min():.1f}", most=f"{share.max():.1f}"))


def _show_effect(name: str, effect: PaddingEffect, t: TranslationModel, tr: Translator) -> None:
    st.metric(tr(f"masks.padding_{name}"), f"{effect.change:.2g}")
    written = effect.translation or tr("translation.empty")
    st.html(gloss(tr("lesson.translation"), written, lang=t.languages[1]))


def _hidden(sentence: tuple[str, ...]) -> frozenset[int]:
    """Columns that were hidden behind these tokens; those of another one are forgotten."""
    kept = link.said(_HIDDEN)
    if isinstance(kept, str):
        kept = (sentence, _read_columns(kept, len(sentence)))
    if not isinstance(kept, tuple) or kept[0] != sentence:
        kept = (sentence, frozenset())
    st.session_state[_HIDDEN] = kept
    columns: frozenset[int] = kept[1]
    link.tell(_HIDDEN, ",".join(map(str, sorted(columns))) or None)
    return columns


def _read_columns(text: str, length: int) -> frozenset[int]:
    """What a link says of columns; none if it leaves no token of the sentence to be seen."""
    found = frozenset(int(n) for n in re.findall(r"(?<![^,])\d{1,4}(?![^,])", text))
    found &= frozenset(range(length + _MOST))
    return frozenset() if found.issuperset(range(length)) else found


def _hide(sentence: tuple[str, ...], columns: frozenset[int]) -> None:
    st.session_state[_HIDDEN] = (sentence, columns)


def _toggle(sentence: tuple[str, ...], column: int) -> None:
    """Turn one column round, unless no token of the sentence were left to be seen."""
    columns = _hidden(sentence) ^ {column}
    if columns.issuperset(range(len(sentence))):
        st.session_state[_REFUSED] = True
    else:
        _hide(sentence, columns)
