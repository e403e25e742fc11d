"""Padding behind the visitor's sentence: columns to click on, and what the model makes of it."""

import re
from functools import partial

import numpy as np
import streamlit as st

from model import Trace, TranslationModel
from model.lessons.masks.padded_batch import PaddingEffect, padding_effect
from model.pictures.tokens import display
from ui.components.matrices import Matrix, show_matrices
from ui.export.figure import about, figure
from ui.export.tables import Labels
from ui.frame.controls import slide
from ui.frame.pickers import place_picker
from ui.state import link
from ui.state.address import Address
from ui.state.memory import remember
from ui.text.markup import alert, gloss
from ui.text.translator import Translator

Columns = frozenset[int]
_MOST = 32  # tokens of padding
_HIDDEN, _REFUSED = "masks.hidden_columns", "masks.column_refused"


def show_padding_seen(trace: Trace, t: TranslationModel, address: Address, tr: Translator) -> None:
    """Where one head of the encoder looks; what becomes of the encoder's result under it."""
    text, tokens, length = address.sentence, trace.src_tokens, len(trace.src)
    padding, read = frozenset(range(length, length + _MOST)), partial(_read_columns, length=length)
    hidden = link.kept(_HIDDEN, tokens, read, lambda c: ",".join(map(str, sorted(c))), Columns())
    with st.container(horizontal=True, vertical_alignment="bottom"):
        n = slide(tr("masks.n_padding"), 0, _MOST, default=8, key="masks.n_padding", width=260)
        nothing, everything = (tokens, Columns()), (tokens, padding)
        st.button(tr("masks.show_all"), on_click=_hide, args=nothing, key="masks.show")
        st.button(tr("masks.hide_padding"), on_click=_hide, args=everything, key="masks.hide")
        place_picker(t.config, tr)
    if st.session_state.pop(_REFUSED, False):
        st.html(alert(tr("masks.column_refused")))
    effect = _effect(t, text, n, hidden)
    labels = display(effect.tokens)
    picture, result = st.columns([3, 2], gap="large")
    with picture:
        one_head = address.one_head | {"attention": "encoder_self"}
        columns = {"n_padding": n, "columns_hidden": sorted(hidden)}
        what = about(t, trace, page="masks", **one_head, **columns)
        matrix = Matrix(
            np.where(effect.visible, effect.weights[address.place], np.nan),
            tr("masks.padding_weights"),
            f"({length}, {len(labels)})",
            Labels(labels[:length], labels, (t.languages[0], t.languages[0])),
            scale="weights",
        )
        with figure("padding", tr, title=matrix.title, about=what) as fig:
            show_matrices(
                [matrix],
                fig,
                key="masks.columns",
                on_pick=lambda _, __, column: _hide(tokens, hidden ^ {column}),
            )
        st.caption(tr("masks.column_hint", n=int((~effect.visible).sum())))
    with result:
        share = 100 * effect.share  # (n_layers, H), percent
        st.metric(tr("masks.padding_share"), f"{share[address.place]:.1f}%")
        least, most = f"{share.min():.1f}", f"{share.max():.1f}"
        st.caption(tr("masks.padding_range", least=least, most=most))
        for name, one in (("seen", effect), ("hidden", _effect(t, text, n, padding))):
            st.metric(tr(f"masks.padding_{name}"), f"{one.change:.2g}")
            written = one.translation or tr("translation.empty")
            st.html(gloss(tr("lesson.translation"), written, lang=t.languages[1]))
    st.markdown(tr.section("masks", "padding"))


def _effect(t: TranslationModel, text: str, n: int, hidden: Columns) -> PaddingEffect:
    key = t.version, text, n, hidden
    return remember("padding", key, lambda: padding_effect(t, text, n, hidden=hidden))


def _read_columns(text: str, length: int) -> Columns:
    """What a link says of columns; none if it leaves no token of the sentence to be seen."""
    found = {int(n) for n in re.findall(r"(?<![^,])\d{1,4}(?![^,])", text)}
    columns = frozenset(found.intersection(range(length + _MOST)))
    return frozenset() if columns.issuperset(range(length)) else columns


def _hide(sentence: tuple[str, ...], columns: Columns) -> None:
    """Hide these columns, unless no token of the sentence were left to be seen."""
    if columns.issuperset(range(len(sentence))):
        st.session_state[_REFUSED] = True
    else:
        st.session_state[_HIDDEN] = (sentence, columns)
