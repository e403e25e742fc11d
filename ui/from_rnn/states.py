"""What a recurrent model carries along: its context, what it has forgotten, its gates."""

from collections.abc import Mapping, Sequence

import numpy as np
import streamlit as st

from model import RecurrentTrace, RecurrentTranslationModel
from model.arrays import Array
from model.lessons.from_rnn import as_shares, influence_backwards, similarity_to_last
from model.pictures.tokens import display
from ui.charts.chart import Chart
from ui.charts.columns import columns
from ui.components.matrices import Matrix, show_matrices
from ui.export.figure import about_page, figure
from ui.export.tables import Labels
from ui.frame.pickers import choose_named
from ui.frame.picture import show_chart
from ui.from_rnn.lineage import Members, read_all, show_missing
from ui.server.work import show_work
from ui.state.address import Address
from ui.text.translator import Translator

SHOWN = ("seq2seq", "bahdanau")
_NUMBERS = 24  # of a context vector that are drawn
_UNASKED = 16  # tokens whose influence is measured at once: about a second
_UNITS = 40  # of a cell that are drawn: those that change most over the sentence
_KEEPS = ("update", "forget")  # the gates that say what is kept: one of them is shown first
_SIGNED = ("candidate", "cell", "state")  # everything else is a share from 0 to 1


def show_memory(present: Members, address: Address, tr: Translator) -> None:
    """The context of every step, and the influence of every token on the last state."""
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
    with figure("context", tr, title=tr("from_rnn.context"), about=what) as fig:
        beside = st.columns(len(found), gap="large")
        for column, (arch, (t, trace)) in zip(beside, found.items(), strict=True):
            context = trace.records["decoder.context"]  # (T, d_memory)
            matrix = Matrix(
                context[:, :_NUMBERS],
                tr(f"from_rnn.arch.{arch}"),
                tr("from_rnn.context_shape", tokens=len(context), width=context.shape[1]),
                Labels(display(trace.next_tokens), languages=(t.languages[1], None)),
                limit=1.0,
            )
            with column:
                show_matrices([matrix], fig, key=f"from_rnn.context.{arch}", largest=24)
    st.header(tr("from_rnn.forgetting"), anchor=False)
    arch = next(iter(found))
    st.caption(tr("from_rnn.forgetting_note", name=tr(f"from_rnn.arch.{arch}")))
    _show_forgetting(present[arch], *found[arch], tr)
    st.markdown(tr.section("from_rnn", "memory"))


def _show_forgetting(
    name: str, t: RecurrentTranslationModel, trace: RecurrentTrace, tr: Translator
) -> None:
    """Two measures of what the last state of the encoder has kept of each token."""
    similarity = {tr("from_rnn.similarity"): similarity_to_last(trace.states("forwards")).clip(0)}
    n = len(trace.src)

    def show(norms: Sequence[float]) -> None:
        influence = {tr("from_rnn.influence"): as_shares(norms)} if len(norms) == n else {}
        chart = _columns(influence | similarity, display(trace.src_tokens), tr)
        what = about_page("from_rnn", checkpoint=name, sentence=trace.source_text)
        with figure("forgetting", tr, title=tr("from_rnn.forgetting"), about=what) as fig:
            show_chart(chart, fig, key="from_rnn.forgetting")

    show_work(
        "from_rnn.measure",
        (t.version, trace.source_text),
        lambda: influence_backwards(t, trace),
        show,
        tr,
        start=tr("from_rnn.measure", n=n),
        total=n,
        small=n <= _UNASKED,
        in_parts=True,
    )


def _columns(shares: Mapping[str, Array], tokens: Sequence[str], tr: Translator) -> Chart:
    label, value = tr("map.key"), tr("from_rnn.share")
    return columns(shares, labels=tokens, label_title=label, value_title=value)


def show_gates(present: Members, address: Address, tr: Translator) -> None:
    """One gate of one cell over the sentence: its units, and their mean."""
    archs = [arch for arch in present if arch != "transformer"]
    show_missing(present, () if archs else ("seq2seq",), tr)
    if not archs:
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        arch = choose_named("from_rnn.arch", archs, tr, key="from_rnn.model", wrap=True)
        read = read_all({arch: present[arch]}, address.sentence, tr).get(arch)
        if read is None or not isinstance(read.trace, RecurrentTrace):
            return
        trace = read.trace
        key = f"from_rnn.part.{arch}"
        part = choose_named("from_rnn.part", trace.cells, tr, key=key, wrap=True)
        values: dict[str, Array] = trace.gates(part) | {"state": trace.states(part)}
        gates = sorted(values, key=_KEEPS.__contains__, reverse=True)
        key = f"from_rnn.gate.{arch}"
        gate = choose_named("from_rnn.gate", gates, tr, key=key, wrap=True)
    tokens = display(trace.tgt_tokens if part == "decoder" else trace.src_tokens)
    what = about_page("from_rnn", checkpoint=present[arch], sentence=address.sentence, cell=part)
    units = values[gate]  # (tokens, units), so that a column is the way of a unit
    n = min(_UNITS, units.shape[1])
    moving = np.argsort(-units.std(axis=0), kind="stable")[:n]
    names = [str(unit + 1) for unit in moving]
    matrix = Matrix(
        units[:, moving],
        tr(f"from_rnn.gate.{gate}"),
        tr("from_rnn.units", n=n, of=units.shape[1]),
        Labels(tokens, names, (read.t.languages[part == "decoder"], None)),
        scale="signed" if gate in _SIGNED else "weights",
        limit=1.0 if gate in _SIGNED and gate != "cell" else None,
    )
    title = tr("from_rnn.view_gates")
    with figure("units", tr, title=title, about={**what, "gate": gate}) as fig:
        show_matrices([matrix], fig, key="from_rnn.units", largest=26)
    own = [name for name in values if name not in _SIGNED]
    if shares := {tr(f"from_rnn.gate.{name}"): values[name].mean(axis=1) for name in own}:
        st.header(tr("from_rnn.mean"), anchor=False)
        with figure("gates", tr, title=tr("from_rnn.mean"), about=what) as fig:
            show_chart(_columns(shares, tokens, tr), fig, key="from_rnn.gates")
    st.markdown(tr.section("from_rnn", "gates"))
