"""The sources of queries, keys and values; one training example; the masks of a batch."""

from typing import Literal

import numpy as np
import numpy.typing as npt
import streamlit as st

from model import Trace, TranslationModel
from model.corpora.pairs import Languages
from model.lessons.masks.padded_batch import PaddedBatch, padded_batch
from model.pictures.tokens import display
from model.transformer.heads import KINDS, Kind, attention_name
from ui.components.matrices import Matrix, show_matrices
from ui.export.figure import Figure, about_page, figure
from ui.export.lesson_lines import lines_of_batch
from ui.export.tables import Labels
from ui.frame.controls import choose, type_text
from ui.frame.page import show_problems
from ui.frame.pickers import attention_picker, place_picker
from ui.state.address import Address
from ui.state.limits import read_within_limits
from ui.state.memory import remember
from ui.text.languages import sides
from ui.text.markup import shape, token_rows
from ui.text.translator import Translator

Length = Literal["S", "T"]  # source tokens, target tokens

# Number of queries and of keys
_LENGTHS: dict[Kind, tuple[Length, Length]] = {
    "encoder_self": ("S", "S"),
    "decoder_self": ("T", "T"),
    "cross": ("T", "S"),
}
_SECOND_SENTENCE = "I see."
_THIRD_SENTENCE = "She does not sleep."


def show_sources(trace: Trace, model: TranslationModel, tr: Translator) -> None:
    """Show the three attentions side by side, with the lengths of the visitor's sentence.

    Args:
        trace: of the visitor's sentence.
        model: that made the trace.
        tr: the visitor's language.
    """
    sizes = {
        "B": 1,
        "S": len(trace.src),
        "T": len(trace.tgt_tokens),
        "H": model.config.n_heads,
        "d_model": model.config.d_model,
    }
    for attention, column in zip(KINDS, st.columns(3, gap="medium"), strict=True):
        n_queries, n_keys = _LENGTHS[attention]
        with column.container(border=True, key=f"card-{attention}"):
            st.header(tr(f"attention.{attention}"), anchor=False)
            st.markdown(tr(f"masks.from.{attention}"))
            st.html(shape("q", ("B", n_queries, "d_model"), sizes))
            st.html(shape("k, v", ("B", n_keys, "d_model"), sizes))
            st.html(shape("weights", ("B", "H", n_queries, n_keys), sizes))
            st.caption(tr(f"masks.mask.{attention}"))
    st.markdown(tr.section("masks", "sources"))


def show_forcing(trace: Trace, model: TranslationModel, tr: Translator) -> None:
    """Show one training example: source, shifted input, labels and their probabilities.

    Args:
        trace: of the visitor's sentence.
        model: that made the trace.
        tr: the visitor's language.
    """
    source_language, target_language = model.languages
    source_rows = {tr("masks.row.source"): display(trace.src_tokens)}
    target_rows = {
        tr("masks.row.input"): display(trace.tgt_tokens),
        tr("masks.row.label"): display(trace.next_tokens),
        tr("masks.row.probability"): [f"{p:.2f}" for p in np.exp(trace.log_probs)],
    }
    st.html(token_rows(source_rows, lang=source_language))
    st.html(token_rows(target_rows, lang=target_language))
    st.markdown(tr.section("masks", "forcing"))


def show_batch(model: TranslationModel, address: Address, tr: Translator) -> None:
    """Show a batch of three sentences: its masks, and the attention in one sentence.

    Args:
        model: that computes the batch.
        address: the first sentence, and attention, layer and head.
        tr: the visitor's language.
    """
    # 1. Ask for the second and the third sentence
    left, right = st.columns(2)
    with left:
        second = type_text(tr("masks.other", n=2), default=_SECOND_SENTENCE, key="masks.other.2")
    with right:
        third = type_text(tr("masks.other", n=3), default=_THIRD_SENTENCE, key="masks.other.3")
    sentences = [address.sentence, second, third]

    with show_problems(tr):
        # 2. Compute the batch
        read_within_limits(model, *sentences)
        batch = remember(
            "batches", (model.version, *sentences), lambda: padded_batch(model, sentences)
        )

        # 3. Ask which sentence, attention, layer and head to show
        with st.container(horizontal=True, vertical_alignment="bottom"):
            attention_picker(tr)
            place_picker(model.config, tr)
            row = choose(
                tr("masks.sentence"),
                range(3),
                default=1,
                key="masks.row",
                format_func=lambda n: str(n + 1),
            )

        # 4. Draw its masks, and the attention in one sentence
        description = about_page(
            "masks",
            checkpoint=model.name,
            sentence=sentences[row],
            batch=sentences,
            **address.one_head,
        )
        layer, head = address.layer_and_head
        python = lines_of_batch(
            model, sentences, kind=address.attention, layer=layer, head=head, row=row
        )
        title = tr("masks.view_batch")
        with figure("batch", tr, title=title, about=description, python=python) as fig:
            padding_column, masks_column = st.columns([2, 3], gap="large")
            with padding_column:
                _show_padding(batch, fig, tr)
            with masks_column:
                _show_masks(batch, address.attention, row, fig, tr)
            _show_scores(batch, address, row, model.languages, fig)
        st.markdown(tr.section("masks", "batch"))
        if model.tokenizer.bos_id == model.tokenizer.pad_id:
            st.markdown(tr("masks.start_is_padding"))


def _show_padding(batch: PaddedBatch, fig: Figure, tr: Translator) -> None:
    """Draw the padding masks of the whole batch."""
    labels = Labels([str(n) for n in range(1, len(batch.src_tokens) + 1)])
    source = Matrix(
        _hatched(batch.src_padding), tr("masks.padding_src"), "(B, S)", labels, scale="weights"
    )
    target = Matrix(
        _hatched(batch.tgt_padding), tr("masks.padding_tgt"), "(B, T)", labels, scale="weights"
    )
    show_matrices([source, target], fig, operators=["  "], key="masks.padding", largest=22)


def _show_masks(batch: PaddedBatch, kind: Kind, row: int, fig: Figure, tr: Translator) -> None:
    """Draw the masks of one sentence: padding, and in the decoder also causal and combined masks.

    Args:
        batch: with all its masks.
        kind: which of the three attentions.
        row: of the sentence in the batch.
        fig: the figure that the masks are a part of.
        tr: the visitor's language.
    """
    n_queries = batch.src_padding.shape[1] if kind == "encoder_self" else len(batch.causal)
    padding = batch.tgt_padding[row] if kind == "decoder_self" else batch.src_padding[row]  # (S,)
    masks = {"padding": np.broadcast_to(padding, (n_queries, len(padding)))}
    if kind == "decoder_self":
        masks["causal"] = batch.causal  # (T, T)
        masks["both"] = batch.causal & padding

    matrices = []
    for name, mask in masks.items():
        size = f"{mask.shape[0]} × {mask.shape[1]}"
        matrices.append(Matrix(_hatched(mask), tr(f"masks.{name}"), size, scale="weights"))
    show_matrices(matrices, fig, operators=["∧", "="], key=f"masks.masks.{kind}", largest=16)


def _show_scores(
    batch: PaddedBatch, address: Address, row: int, languages: Languages, fig: Figure
) -> None:
    """Draw scores, masked scores and weights of one head for one sentence.

    Args:
        batch: with what was recorded in it.
        address: attention, layer and head.
        row: of the sentence in the batch.
        languages: of source and target.
        fig: the figure that the matrices are a part of.
    """
    kind = address.attention
    layer, head = address.layer_and_head
    tokens = {"S": display(batch.src_tokens[row]), "T": display(batch.tgt_tokens[row])}
    query_length, key_length = _LENGTHS[kind]
    labels = Labels(tokens[query_length], tokens[key_length], sides(languages, kind))
    path = attention_name(kind, layer)
    matrices = []
    for stage in ("scores", "masked_scores", "weights"):
        matrices.append(
            Matrix(
                batch.records[f"{path}.{stage}"][row, head],  # (queries, keys)
                stage,
                labels=labels,
                scale="weights" if stage == "weights" else "signed",
            )
        )
    show_matrices(matrices, fig, operators=["→", "→"], links=["ij", "i:"], key="masks.stages")


def _hatched(mask: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    """Return 1 for a visible key, and NaN, which is drawn hatched, for a hidden key."""
    return np.where(mask, 1.0, np.nan)
