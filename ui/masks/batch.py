"""The two masks on a batch of sentences of different length, and what they do to the scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from model import InputError
from model.padded_batch import PaddedBatch, padded_batch, padding_effect
from model.trace import attention_path
from ui.address import Address
from ui.components.matrices import Matrix, show_matrices
from ui.markup import alert, gloss
from ui.settings import attention_picker, place_picker
from ui.tokens import display
from ui.translator import Translator

if TYPE_CHECKING:
    from model import TranslationModel

_OTHERS = ("I see.", "She does not sleep.")


def show_batch(t: TranslationModel, address: Address, tr: Translator) -> None:
    """Three sentences in one batch; mask, scores, masked scores and weights of one of them."""
    others = [
        column.text_input(tr("masks.other", n=n), text, key=f"masks.other.{n}")
        for n, (text, column) in enumerate(zip(_OTHERS, st.columns(2), strict=True), start=2)
    ]
    sentences = [address.sentence, *others]
    try:
        batch = padded_batch(t, sentences)
    except InputError as problem:
        st.html(alert(tr(f"input.{problem.reason}", n=problem.n_tokens, limit=problem.limit)))
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        attention_picker(tr)
        place_picker(t.config, tr)
        row = st.segmented_control(
            tr("masks.sentence"), range(3), default=1, key="masks.row", required=True,
            format_func=lambda n: str(n + 1),
        )  # fmt: skip
    _show_padding(batch, tr)
    _show_scores(batch, address, int(row or 0), tr)
    st.markdown(tr.section("masks", "batch"))


def _show_padding(batch: PaddedBatch, tr: Translator) -> None:
    """The padding masks of the whole batch."""
    names = [str(n) for n in range(1, len(batch.src_tokens) + 1)]
    show_matrices(
        [
            Matrix(_drawn(batch.src_padding), tr("masks.padding_src"), "(B, S)", row_labels=names),
            Matrix(_drawn(batch.tgt_padding), tr("masks.padding_tgt"), "(B, T)", row_labels=names),
        ],
        operators=["  "],
        key="masks.padding",
        largest=28,
    )


def _show_scores(batch: PaddedBatch, address: Address, row: int, tr: Translator) -> None:
    """Mask, scores, masked scores and weights of one head for one sentence."""
    kind = address.attention
    stack, name = attention_path(kind)
    path = f"{stack}.{address.layer - 1}.{name}"
    queries = display(batch.src_tokens[row] if kind == "encoder_self" else batch.tgt_tokens[row])
    keys = display(batch.tgt_tokens[row] if kind == "decoder_self" else batch.src_tokens[row])
    padding = batch.tgt_padding[row] if kind == "decoder_self" else batch.src_padding[row]
    everyone = np.ones((len(queries), len(keys)), dtype=bool)
    masks = [
        Matrix(
            _drawn(everyone & padding),
            tr("masks.padding"),
            f"{len(queries)} × {len(keys)}",
            scale="weights",
        )
    ]
    if kind == "decoder_self":
        masks.append(Matrix(_drawn(batch.causal), tr("masks.causal"), scale="weights"))
        both = _drawn(batch.causal & padding)
        masks.append(Matrix(both, tr("masks.both"), scale="weights"))
    show_matrices(masks, operators=["∧", "="], key=f"masks.masks.{kind}", largest=16)
    pictures = [
        Matrix(
            batch.records[f"{path}.{stage}"][row, address.head - 1],
            stage,
            row_labels=queries,
            column_labels=keys,
            scale="weights" if stage == "weights" else "signed",
        )
        for stage in ("scores", "masked_scores", "weights")
    ]
    show_matrices(pictures, operators=["→", "→"], links=["ij", "i:"], key="masks.stages")


def show_padding_seen(t: TranslationModel, address: Address, tr: Translator) -> None:
    """Padding behind the visitor's sentence, hidden and seen."""
    n = st.slider(tr("masks.n_padding"), 0, 32, 8, key="masks.n_padding")
    try:
        effect = padding_effect(t, address.sentence, n)
    except InputError as problem:
        st.html(alert(tr(f"input.{problem.reason}", n=problem.n_tokens, limit=problem.limit)))
        return
    found = (
        ("hidden", effect.hidden, effect.translation_hidden),
        ("seen", effect.seen, effect.translation_seen),
    )
    for column, (name, change, text) in zip(st.columns(2, gap="large"), found, strict=True):
        with column:
            st.metric(tr(f"masks.padding_{name}"), f"{change:.2g}")
            st.caption(tr("masks.padding_change"))
            st.html(gloss(tr("lesson.translation"), text or tr("translation.empty")))
    st.markdown(tr.section("masks", "padding"))


def _drawn(mask: np.ndarray) -> np.ndarray:
    """1 where a key may be seen; hidden cells are left to be hatched."""
    return np.where(mask, 1.0, np.nan)
