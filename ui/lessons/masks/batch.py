"""The two masks on a batch of sentences of different length, and what they do to the scores."""

from __future__ import annotations

import numpy as np
import streamlit as st

from model import InputError, TranslationModel
from model.lessons.masks.padded_batch import PaddedBatch, padded_batch
from model.pictures.tokens import display
from model.transformer.heads import attention_name
from ui.components.matrices import Matrix, show_matrices
from ui.export.figure import Figure, figure
from ui.export.provenance import about_page
from ui.frame.controls import choose, type_text
from ui.frame.pickers import attention_picker, place_picker
from ui.frame.problems import in_words
from ui.state.address import Address
from ui.state.memory import remember
from ui.state.typed import check, refuse_long
from ui.text.languages import Languages, sides
from ui.text.markup import alert
from ui.text.translator import Translator

_OTHERS = ("I see.", "She does not sleep.")


def show_batch(t: TranslationModel, address: Address, tr: Translator) -> None:
    """Three sentences in one batch; mask, scores, masked scores and weights of one of them."""
    others = [
        _ask_other(n, text, column, tr)
        for n, (text, column) in enumerate(zip(_OTHERS, st.columns(2), strict=True), start=2)
    ]
    sentences = [address.sentence, *others]
    try:
        refuse_long(*sentences)
        batch = remember("batches", (t.version, *sentences), lambda: _batch(t, sentences))
    except InputError as problem:
        st.html(alert(in_words(problem, tr)))
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        attention_picker(tr)
        place_picker(t.config, tr)
        row = choose(
            tr("masks.sentence"), range(3), default=1, key="masks.row",
            format_func=lambda n: str(n + 1),
        )  # fmt: skip
    what = about_page(
        "masks",
        checkpoint=t.name,
        sentence=sentences[row],
        batch=sentences,
        attention=address.attention,
        layer=address.layer,
        head=address.head,
    )
    with figure("batch", tr, title=tr("masks.view_batch"), about=what) as shown:
        lengths, masks = st.columns([2, 3], gap="large")
        with lengths:
            _show_padding(batch, shown, tr)
        with masks:
            _show_masks(batch, address, row, shown, tr)
        _show_scores(batch, address, row, t.languages, shown)
    st.markdown(tr.section("masks", "batch"))
    if t.tokenizer.bos_id == t.tokenizer.pad_id:
        st.markdown(tr("masks.start_is_padding"))


def _batch(t: TranslationModel, sentences: list[str]) -> PaddedBatch:
    check(t, *sentences)
    return padded_batch(t, sentences)


def _ask_other(n: int, text: str, place: st.delta_generator.DeltaGenerator, tr: Translator) -> str:
    with place:
        return type_text(tr("masks.other", n=n), default=text, key=f"masks.other.{n}")


def _show_padding(batch: PaddedBatch, shown: Figure, tr: Translator) -> None:
    """The padding masks of the whole batch."""
    names = [str(n) for n in range(1, len(batch.src_tokens) + 1)]
    show_matrices(
        [
            Matrix(
                _drawn(padding),
                tr(f"masks.padding_{name}"),
                dims,
                row_labels=names,
                scale="weights",
            )
            for name, dims, padding in (
                ("src", "(B, S)", batch.src_padding),
                ("tgt", "(B, T)", batch.tgt_padding),
            )
        ],
        shown,
        operators=["  "],
        key="masks.padding",
        largest=22,
    )


def _show_masks(
    batch: PaddedBatch, address: Address, row: int, shown: Figure, tr: Translator
) -> None:
    """Padding and causal mask of one sentence, and both at once."""
    kind = address.attention
    padding = batch.tgt_padding[row] if kind == "decoder_self" else batch.src_padding[row]
    n_queries = batch.src_padding.shape[1] if kind == "encoder_self" else len(batch.causal)
    masks = {"padding": np.broadcast_to(padding, (n_queries, len(padding)))}
    if kind == "decoder_self":
        masks |= {"causal": batch.causal, "both": batch.causal & padding}
    matrices = [
        Matrix(
            _drawn(mask), tr(f"masks.{name}"), f"{mask.shape[0]} × {mask.shape[1]}", scale="weights"
        )
        for name, mask in masks.items()
    ]
    show_matrices(matrices, shown, operators=["∧", "="], key=f"masks.masks.{kind}", largest=16)


def _show_scores(
    batch: PaddedBatch, address: Address, row: int, languages: Languages, shown: Figure
) -> None:
    """Scores, masked scores and weights of one head for one sentence."""
    kind, (layer, head) = address.attention, address.place
    path = attention_name(kind, layer)
    queries = display(batch.src_tokens[row] if kind == "encoder_self" else batch.tgt_tokens[row])
    keys = display(batch.tgt_tokens[row] if kind == "decoder_self" else batch.src_tokens[row])
    pictures = [
        Matrix(
            batch.records[f"{path}.{stage}"][row, head],
            stage,
            row_labels=queries,
            column_labels=keys,
            languages=sides(languages, kind),
            scale="weights" if stage == "weights" else "signed",
        )
        for stage in ("scores", "masked_scores", "weights")
    ]
    show_matrices(pictures, shown, operators=["→", "→"], links=["ij", "i:"], key="masks.stages")


def _drawn(mask: np.ndarray) -> np.ndarray:
    """1 where a key may be seen; hidden cells are left to be hatched."""
    return np.where(mask, 1.0, np.nan)
