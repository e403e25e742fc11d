"""One sentence, several models: translation, probability of each token, where each step looked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from model import Trace
from model.alignment_head import best_reading_head
from ui.address import Address
from ui.ancestors.lineage import read_with, show_missing
from ui.charts.heatmap import heatmap
from ui.markup import pieces, translation
from ui.models import open_any_model, open_model
from ui.tokens import display
from ui.translator import Translator

if TYPE_CHECKING:
    from model import RecurrentTrace
    from model.reading import Array

SHOWN = ("seq2seq", "bahdanau", "transformer")


def show_side_by_side(present: Mapping[str, str], address: Address, tr: Translator) -> None:
    """A column for each model.

    Args:
        present: architecture -> checkpoint.
        address: its sentence counts.
        tr: the visitor's language.
    """
    show_missing(present, SHOWN, tr)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        archs = _pick_models([*present], tr)
        target = _pick_target(present, address, tr)
        head = _pick_head(tr)
    for place, arch in zip(st.columns(len(archs) or 1, gap="medium"), archs, strict=False):
        with place:
            _show_model(present[arch], arch, address, target, head, tr)
    st.markdown(tr.section("ancestors", "side"))


def _pick_models(archs: list[str], tr: Translator) -> list[str]:
    chosen = st.segmented_control(
        tr("ancestors.models"),
        archs,
        default=[arch for arch in archs if arch in SHOWN],
        selection_mode="multi",
        key="ancestors.models",
        format_func=lambda arch: tr(f"ancestors.arch_{arch}"),
        wrap=True,
    )
    return [arch for arch in archs if arch in chosen]


def _pick_target(present: Mapping[str, str], address: Address, tr: Translator) -> str:
    """The target that all read, or nothing: each writes its own."""
    shared = st.segmented_control(
        tr("ancestors.target"),
        ("own", "shared"),
        default="own",
        key="ancestors.target",
        format_func=lambda name: tr(f"ancestors.target_{name}"),
        required=True,
        wrap=True,
    )
    if shared == "own" or "transformer" not in present:
        return ""
    trace = read_with(present["transformer"], address.sentence, tr)
    return trace.target_text if trace else ""


def _pick_head(tr: Translator) -> str:
    head = st.segmented_control(
        tr("ancestors.head"),
        ("best", "mean"),
        default="best",
        key="ancestors.head",
        format_func=lambda name: tr(f"ancestors.head_{name}"),
        required=True,
        wrap=True,
    )
    return str(head)


def _show_model(
    name: str, arch: str, address: Address, target: str, head: str, tr: Translator
) -> None:
    st.subheader(tr(f"ancestors.arch_{arch}"), anchor=False)
    trace = read_with(name, address.sentence, tr, target=target)
    if trace is None:
        return
    t = open_any_model(name)
    origin = tr("origin.given") if target else tr("origin.greedy")
    st.caption(tr("ancestors.facts", name=name, parameters=f"{t.n_parameters / 1e6:.1f}"))
    st.html(translation(trace.target_text or tr("translation.empty"), origin))
    st.html(pieces(trace.next_tokens, trace.log_probs.tolist(), label=tr("pieces.label")))
    st.caption(
        tr(
            "ancestors.score",
            total=f"{trace.log_probs.sum():.2f}",
            mean=f"{trace.log_probs.mean():.2f}",
        )
    )
    _show_map(name, trace, head, tr)


def _show_map(name: str, trace: Trace | RecurrentTrace, head: str, tr: Translator) -> None:
    """Where each step looked, for a model that looks."""
    if isinstance(trace, Trace):
        weights, rows, caption = _cross_attention(name, trace, head, tr)
    elif trace.alignment is not None:
        weights, rows, caption = trace.alignment, trace.next_tokens, tr("ancestors.rows_written")
    else:
        st.html(f'<p class="badge">{tr("ancestors.no_map")}</p>')
        return
    st.caption(caption)
    chart = heatmap(
        weights,
        query_tokens=display(rows),
        key_tokens=display(trace.src_tokens),
        query_title=tr("map.query"),
        key_title=tr("map.key"),
        weight_title=tr("map.weights"),
    )
    st.altair_chart(chart, width="stretch", key=f"ancestors.map.{name}", alt=tr("map.alt"))


def _cross_attention(
    name: str, trace: Trace, head: str, tr: Translator
) -> tuple[Array, Sequence[str], str]:
    """The head that aligns best, by the token that was read; or the mean of the last layer."""
    t = open_model(name)
    place = best_reading_head(t.folder)
    if head == "best" and place is not None:
        layer, number = place
        caption = tr("ancestors.rows_read", layer=layer + 1, head=number + 1)
        return trace.cross[layer, number], trace.tgt_tokens, caption
    mean = np.ascontiguousarray(trace.cross[-1].mean(axis=0))
    caption = tr("ancestors.rows_mean", layer=len(trace.cross), heads=trace.cross.shape[1])
    return mean, trace.next_tokens, caption
