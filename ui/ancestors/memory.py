"""What a recurrent decoder knows of the source, and what the encoder has forgotten by then."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import streamlit as st

from model import RecurrentTrace
from model.forgetting import similarity_to_last
from ui.address import Address
from ui.ancestors.lineage import read_all, show_missing
from ui.charts.columns import columns
from ui.components.matrices import Matrix, show_matrices
from ui.models import open_influence
from ui.tokens import display
from ui.translator import Translator

if TYPE_CHECKING:
    from model.reading import Array

SHOWN = ("seq2seq", "bahdanau")
_NUMBERS = 24  # of a context vector that are drawn
_LONGEST = 64  # tokens whose influence is measured: some seconds of work


def show_memory(present: Mapping[str, str], address: Address, tr: Translator) -> None:
    """The context of every step, and the influence of every token on the last state.

    Args:
        present: architecture -> checkpoint.
        address: its sentence counts.
        tr: the visitor's language.
    """
    show_missing(present, SHOWN, tr)
    recurrent = {arch: present[arch] for arch in SHOWN if arch in present}
    found = {
        arch: trace
        for arch, trace in read_all(recurrent, address.sentence, tr).items()
        if isinstance(trace, RecurrentTrace)
    }
    if not found:
        return
    st.subheader(tr("ancestors.context"), anchor=False)
    st.caption(tr("ancestors.context_note", n=_NUMBERS))
    for place, (arch, trace) in zip(
        st.columns(len(found), gap="large"), found.items(), strict=True
    ):
        with place:
            _show_context(arch, trace, tr)
    st.subheader(tr("ancestors.forgetting"), anchor=False)
    arch = next(iter(found))
    _show_forgetting(present[arch], found[arch], arch, tr)
    st.markdown(tr.section("ancestors", "memory"))


def _show_context(arch: str, trace: RecurrentTrace, tr: Translator) -> None:
    context = trace.records["decoder.context"]  # (T, d_memory)
    written = display(trace.next_tokens)
    matrix = Matrix(
        context[:, :_NUMBERS],
        tr(f"ancestors.arch_{arch}"),
        tr("ancestors.context_shape", tokens=len(context), width=context.shape[1]),
        row_labels=written,
        limit=1.0,
    )
    show_matrices([matrix], key=f"ancestors.context.{arch}", largest=24)


def _show_forgetting(name: str, trace: RecurrentTrace, arch: str, tr: Translator) -> None:
    """Two measures of what the last state of the encoder has kept of each token."""
    st.caption(tr("ancestors.forgetting_note", name=tr(f"ancestors.arch_{arch}")))
    similarity = similarity_to_last(trace.states("forwards"))
    measures: dict[str, Array] = {tr("ancestors.similarity"): similarity.clip(0)}
    if len(similarity) > _LONGEST:
        st.caption(tr("ancestors.no_influence", most=_LONGEST))
    else:
        with st.spinner(tr("ancestors.measuring")):
            measures = {tr("ancestors.influence"): open_influence(name, trace)} | measures
    chart = columns(
        measures,
        labels=display(trace.src_tokens),
        label_title=tr("map.key"),
        value_title=tr("ancestors.share"),
    )
    st.altair_chart(chart, width="stretch", key="ancestors.forgetting")
