"""The gates of a recurrent cell, token by token."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import streamlit as st

from model import RecurrentTrace
from model.pictures.tokens import display
from model.trace.base import Array
from model.trace.recurrent import RecurrentPart
from ui.charts.columns import columns
from ui.components.matrices import Matrix, show_matrices
from ui.export.figure import figure
from ui.export.provenance import About, about_page
from ui.frame.controls import choose
from ui.frame.picture import show_chart
from ui.from_rnn.lineage import read_with, show_missing
from ui.state.address import Address
from ui.text.translator import Translator

_UNITS = 40  # that are drawn: those that change most over the sentence
_KEEPS = ("update", "forget")  # the gates that say what is kept: one of them is shown first
_SIGNED = ("candidate", "cell", "state")  # everything else is a share from 0 to 1


def show_gates(present: Mapping[str, str], address: Address, tr: Translator) -> None:
    """One gate of one cell over the sentence: its units, and their mean.

    Args:
        present: architecture -> checkpoint.
        address: its sentence counts.
        tr: the visitor's language.
    """
    archs = [arch for arch in present if arch != "transformer"]
    show_missing(present, () if archs else ("seq2seq",), tr)
    if not archs:
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        arch = _choice("model", archs, "arch", tr)
        read = read_with(present[arch], address.sentence, tr)
        if read is None or not isinstance(read.trace, RecurrentTrace):
            return
        t, trace = read.t, read.trace
        part: RecurrentPart = _choice(f"part.{arch}", trace.parts, "part", tr)  # type: ignore[assignment]
        values: dict[str, Array] = trace.gates(part) | {"state": trace.states(part)}
        gate = _choice(
            f"gate.{arch}", sorted(values, key=_KEEPS.__contains__, reverse=True), "gate", tr
        )
    tokens = display(trace.tgt_tokens if part == "decoder" else trace.src_tokens)
    what = about_page("from_rnn", checkpoint=present[arch], sentence=address.sentence, cell=part)
    language = t.languages[part == "decoder"]
    _show_units(values[gate], gate, tokens, language, {**what, "gate": gate}, tr)
    shares = {
        tr(f"from_rnn.gate_{name}"): values[name].mean(axis=1)
        for name in values
        if name not in _SIGNED
    }
    if shares:
        st.header(tr("from_rnn.mean"), anchor=False)
        chart = columns(
            shares, labels=tokens, label_title=tr("map.key"), value_title=tr("from_rnn.share")
        )
        with figure("gates", tr, title=tr("from_rnn.mean"), about=what) as shown:
            show_chart(chart, shown, key="from_rnn.gates")
    st.markdown(tr.section("from_rnn", "gates"))


def _show_units(
    values: Array,
    gate: str,
    tokens: tuple[str, ...],
    language: str | None,
    what: About,
    tr: Translator,
) -> None:
    """(tokens, units) as a picture: a row for each token, so that a column is the way of a unit."""
    n = min(_UNITS, values.shape[1])
    moving = np.argsort(-values.std(axis=0), kind="stable")[:n]
    matrix = Matrix(
        values[:, moving],
        tr(f"from_rnn.gate_{gate}"),
        tr("from_rnn.units", n=n, of=values.shape[1]),
        row_labels=tokens,
        languages=(language, None),
        column_labels=[str(unit + 1) for unit in moving],
        scale="signed" if gate in _SIGNED else "weights",
        limit=1.0 if gate in _SIGNED and gate != "cell" else None,
    )
    with figure("units", tr, title=tr("from_rnn.view_gates"), about=what) as shown:
        show_matrices([matrix], shown, key="from_rnn.units", largest=26)


def _choice(key: str, values: list[str] | tuple[str, ...], kind: str, tr: Translator) -> str:
    return choose(
        tr(f"from_rnn.{kind}"),
        values,
        default=values[0],
        key=f"from_rnn.{key}",
        format_func=lambda name: tr(f"from_rnn.{kind}_{name}"),
        wrap=True,
    )
