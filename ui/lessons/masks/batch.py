"""Where queries, keys and values come from, one training example, and the masks of a batch."""

import numpy as np
import streamlit as st

from model import Trace, TranslationModel
from model.lessons.masks.padded_batch import PaddedBatch, padded_batch
from model.pictures.tokens import display
from model.transformer.heads import KINDS, attention_name
from ui.components.matrices import Matrix, show_matrices
from ui.export.figure import Figure, about_page, figure
from ui.export.tables import Labels
from ui.frame.controls import choose, type_text
from ui.frame.page import problems_told
from ui.frame.pickers import attention_picker, place_picker
from ui.state.address import Address
from ui.state.limits import check
from ui.state.memory import remember
from ui.text.languages import Languages, sides
from ui.text.markup import shape, token_rows
from ui.text.translator import Translator

# of queries and of keys
_LENGTHS = {"encoder_self": ("S", "S"), "decoder_self": ("T", "T"), "cross": ("T", "S")}
_OTHERS = ("I see.", "She does not sleep.")


def show_sources(trace: Trace, t: TranslationModel, tr: Translator) -> None:
    """The three attentions side by side, with the lengths of the visitor's sentence."""
    lengths = {"B": 1, "S": len(trace.src), "T": len(trace.tgt_tokens)}
    sizes = lengths | {"H": t.config.n_heads, "d_model": t.config.d_model}
    for attention, column in zip(KINDS, st.columns(3, gap="medium"), strict=True):
        queries, keys = _LENGTHS[attention]
        with column.container(border=True):
            st.header(tr(f"attention.{attention}"), anchor=False)
            st.markdown(tr(f"masks.from.{attention}"))
            st.html(shape("q", ("B", queries, "d_model"), sizes))
            st.html(shape("k, v", ("B", keys, "d_model"), sizes))
            st.html(shape("weights", ("B", "H", queries, keys), sizes))
            st.caption(tr(f"masks.mask.{attention}"))
    st.markdown(tr.section("masks", "sources"))


def show_forcing(trace: Trace, t: TranslationModel, tr: Translator) -> None:
    """The rows of one training example: source, shifted input, label and its probability."""
    rows = {
        tr("masks.row.input"): display(trace.tgt_tokens),
        tr("masks.row.label"): display(trace.next_tokens),
        tr("masks.row.probability"): [f"{p:.2f}" for p in np.exp(trace.log_probs)],
    }
    source, target = t.languages
    st.html(token_rows({tr("masks.row.source"): display(trace.src_tokens)}, lang=source))
    st.html(token_rows(rows, lang=target))
    st.markdown(tr.section("masks", "forcing"))


def show_batch(t: TranslationModel, address: Address, tr: Translator) -> None:
    """Three sentences in one batch; mask, scores, masked scores and weights of one of them."""
    sentences = [address.sentence]
    for n, (text, column) in enumerate(zip(_OTHERS, st.columns(2), strict=True), start=2):
        with column:
            label, key = tr("masks.other", n=n), f"masks.other.{n}"
            sentences.append(type_text(label, default=text, key=key))
    with problems_told(tr):
        check(t, *sentences)
        batch = remember("batches", (t.version, *sentences), lambda: padded_batch(t, sentences))
        with st.container(horizontal=True, vertical_alignment="bottom"):
            attention_picker(tr)
            place_picker(t.config, tr)
            label, numbered = tr("masks.sentence"), ("1", "2", "3").__getitem__
            row = choose(label, range(3), default=1, key="masks.row", format_func=numbered)
        one = {"checkpoint": t.name, "sentence": sentences[row], "batch": sentences}
        what = about_page("masks", **one, **address.one_head)
        with figure("batch", tr, title=tr("masks.view_batch"), about=what) as fig:
            lengths, masks = st.columns([2, 3], gap="large")
            with lengths:
                _show_padding(batch, fig, tr)
            with masks:
                _show_masks(batch, address, row, fig, tr)
            _show_scores(batch, address, row, t.languages, fig)
        st.markdown(tr.section("masks", "batch"))
        if t.tokenizer.bos_id == t.tokenizer.pad_id:
            st.markdown(tr("masks.start_is_padding"))


def _show_padding(batch: PaddedBatch, fig: Figure, tr: Translator) -> None:
    """The padding masks of the whole batch."""
    rows = [str(n) for n in range(1, len(batch.src_tokens) + 1)]
    src, tgt = tr("masks.padding_src"), tr("masks.padding_tgt")
    matrices = [
        Matrix(_drawn(batch.src_padding), src, "(B, S)", Labels(rows), scale="weights"),
        Matrix(_drawn(batch.tgt_padding), tgt, "(B, T)", Labels(rows), scale="weights"),
    ]
    show_matrices(matrices, fig, operators=["  "], key="masks.padding", largest=22)


def _show_masks(
    batch: PaddedBatch, address: Address, row: int, fig: Figure, tr: Translator
) -> None:
    """Padding and causal mask of one sentence, and both at once."""
    kind = address.attention
    padding = batch.tgt_padding[row] if kind == "decoder_self" else batch.src_padding[row]
    n_queries = batch.src_padding.shape[1] if kind == "encoder_self" else len(batch.causal)
    masks = {"padding": np.broadcast_to(padding, (n_queries, len(padding)))}
    if kind == "decoder_self":
        masks |= {"causal": batch.causal, "both": batch.causal & padding}
    matrices = []
    for name, mask in masks.items():
        size = f"{mask.shape[0]} × {mask.shape[1]}"
        matrices.append(Matrix(_drawn(mask), tr(f"masks.{name}"), size, scale="weights"))
    show_matrices(matrices, fig, operators=["∧", "="], key=f"masks.masks.{kind}", largest=16)


def _show_scores(
    batch: PaddedBatch, address: Address, row: int, languages: Languages, fig: Figure
) -> None:
    """Scores, masked scores and weights of one head for one sentence."""
    kind, (layer, head) = address.attention, address.place
    path, tokens = attention_name(kind, layer), {"S": batch.src_tokens, "T": batch.tgt_tokens}
    queries, keys = (display(tokens[length][row]) for length in _LENGTHS[kind])
    pictures = [
        Matrix(
            batch.records[f"{path}.{stage}"][row, head],
            stage,
            labels=Labels(queries, keys, sides(languages, kind)),
            scale="weights" if stage == "weights" else "signed",
        )
        for stage in ("scores", "masked_scores", "weights")
    ]
    show_matrices(pictures, fig, operators=["→", "→"], links=["ij", "i:"], key="masks.stages")


def _drawn(mask: np.ndarray) -> np.ndarray:
    """1 where a key may be seen; hidden cells are left to be hatched."""
    return np.where(mask, 1.0, np.nan)
