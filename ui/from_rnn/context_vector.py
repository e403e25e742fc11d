"""What a recurrent decoder knows of the source, and what the encoder has forgotten by then."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from model import RecurrentTrace, RecurrentTranslationModel
from model.lessons.from_rnn.forgetting import as_shares, influence_backwards, similarity_to_last
from model.pictures.tokens import display
from model.trace.base import Array
from ui.charts.columns import columns
from ui.components.matrices import Matrix, show_matrices
from ui.export.figure import Figure, figure
from ui.export.provenance import about_page
from ui.frame.picture import show_chart
from ui.from_rnn.lineage import read_all, show_missing
from ui.server.work import Work, show_work
from ui.state.address import Address
from ui.text.translator import Translator

SHOWN = ("seq2seq", "bahdanau")
_NUMBERS = 24  # of a context vector that are drawn
_UNASKED = 16  # tokens whose influence is measured at once: about a second


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
        arch: (t, trace)
        for arch, (t, trace) in read_all(recurrent, address.sentence, tr).items()
        if isinstance(t, RecurrentTranslationModel) and isinstance(trace, RecurrentTrace)
    }
    if not found:
        return
    st.header(tr("from_rnn.context"), anchor=False)
    st.caption(tr("from_rnn.context_note", n=_NUMBERS))
    names = [present[arch] for arch in found]
    what = about_page("from_rnn", checkpoint=names, sentence=address.sentence)
    with figure("context", tr, title=tr("from_rnn.context"), about=what) as shown:
        for place, (arch, (t, trace)) in zip(
            st.columns(len(found), gap="large"), found.items(), strict=True
        ):
            with place:
                _show_context(arch, trace, t.languages[1], shown, tr)
    st.header(tr("from_rnn.forgetting"), anchor=False)
    arch = next(iter(found))
    _show_forgetting(present[arch], *found[arch], arch, tr)
    st.markdown(tr.section("from_rnn", "memory"))


def _show_context(
    arch: str, trace: RecurrentTrace, language: str | None, shown: Figure, tr: Translator
) -> None:
    context = trace.records["decoder.context"]  # (T, d_memory)
    written = display(trace.next_tokens)
    matrix = Matrix(
        context[:, :_NUMBERS],
        tr(f"from_rnn.arch_{arch}"),
        tr("from_rnn.context_shape", tokens=len(context), width=context.shape[1]),
        row_labels=written,
        languages=(language, None),
        limit=1.0,
    )
    show_matrices([matrix], shown, key=f"from_rnn.context.{arch}", largest=24)


def _show_forgetting(
    name: str, t: RecurrentTranslationModel, trace: RecurrentTrace, arch: str, tr: Translator
) -> None:
    """Two measures of what the last state of the encoder has kept of each token."""
    st.caption(tr("from_rnn.forgetting_note", name=tr(f"from_rnn.arch_{arch}")))
    similarity = similarity_to_last(trace.states("forwards")).clip(0)
    n = len(similarity)
    work = Work(
        name="from_rnn.measure",
        about=(t.version, trace.source_text),
        begin=lambda: influence_backwards(t, trace),
        total=n,
        small=n <= _UNASKED,
    )

    def show(norms: Sequence[float], complete: bool) -> None:
        what = about_page("from_rnn", checkpoint=name, sentence=trace.source_text)
        with figure("forgetting", tr, title=tr("from_rnn.forgetting"), about=what) as shown:
            _show_columns(similarity, as_shares(norms) if complete else None, trace, shown, tr)

    show_work(work, tr("from_rnn.measure", n=n), show, tr)


def _show_columns(
    similarity: Array,
    influence: Array | None,
    trace: RecurrentTrace,
    shown: Figure,
    tr: Translator,
) -> None:
    measures = {tr("from_rnn.similarity"): similarity}
    if influence is not None:
        measures = {tr("from_rnn.influence"): influence} | measures
    chart = columns(
        measures,
        labels=display(trace.src_tokens),
        label_title=tr("map.key"),
        value_title=tr("from_rnn.share"),
    )
    show_chart(chart, shown, key="from_rnn.forgetting")
