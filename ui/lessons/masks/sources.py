"""Where queries, keys and values come from, and how a training example is laid out."""

from __future__ import annotations

import numpy as np
import streamlit as st

from model import Trace, TranslationModel
from model.data.batches import make_batch
from model.pictures.tokens import display
from model.transformer.heads import KINDS
from ui.text.markup import shape, token_rows
from ui.text.translator import Translator

_QUERIES = {"encoder_self": "S", "decoder_self": "T", "cross": "T"}
_KEYS = {"encoder_self": "S", "decoder_self": "T", "cross": "S"}


def show_sources(trace: Trace, t: TranslationModel, tr: Translator) -> None:
    """The three attentions side by side, with the lengths of the visitor's sentence."""
    sizes = {
        "B": 1,
        "S": len(trace.src),
        "T": len(trace.tgt_tokens),
        "H": t.config.n_heads,
        "d_model": t.config.d_model,
    }
    for attention, column in zip(KINDS, st.columns(3, gap="medium"), strict=True):
        queries, keys = _QUERIES[attention], _KEYS[attention]
        with column.container(border=True):
            st.header(tr(f"attention.{attention}"), anchor=False)
            st.markdown(tr(f"masks.from.{attention}"))
            for name, dims in (
                ("q", ("B", queries, "d_model")),
                ("k, v", ("B", keys, "d_model")),
                ("weights", ("B", "H", queries, keys)),
            ):
                st.html(shape(name, dims, sizes))
            st.caption(tr(f"masks.mask.{attention}"))
    st.markdown(tr.section("masks", "sources"))


def show_forcing(trace: Trace, t: TranslationModel, tr: Translator) -> None:
    """The rows of one training example: source, shifted input, label and its probability."""
    pair = ([token.id for token in trace.src], list(trace.tgt_ids))
    batch = make_batch([pair], t.tokenizer.pad_id)
    read, said = (
        display([t.tokenizer.subword(id) for id in ids[0].tolist()])
        for ids in (batch.tgt, batch.labels)
    )
    rows = {
        tr("masks.row.input"): read,
        tr("masks.row.label"): said,
        tr("masks.row.probability"): [f"{p:.2f}" for p in np.exp(trace.log_probs)],
    }
    source, target = t.languages
    st.html(token_rows({tr("masks.row.source"): display(trace.src_tokens)}, lang=source))
    st.html(token_rows(rows, lang=target))
    st.markdown(tr.section("masks", "forcing"))
