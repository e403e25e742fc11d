"""The sentences in which the labelled behaviour of a head is strongest and weakest."""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from model.heads.analysis_file import Occurrence
from model.heads.kinds import MeasuredKind
from model.heads.syntax import RELATIONS
from ui.frame.head_kinds import in_a_sentence
from ui.frame.page import PAGES
from ui.heads.catalogue import HeadRow
from ui.state.address import EXPLORER, Address, encode
from ui.text.markup import escape_markdown
from ui.text.numbers import percent
from ui.text.translator import Translator


def show_occurrences(
    row: HeadRow, measured: MeasuredKind, address: Address, tr: Translator
) -> None:
    """Show a dialog with the measurement, and sentences that open in the explorer.

    Args:
        row: the head.
        measured: the label that was clicked.
        address: the visitor's other choices.
        tr: the visitor's language.
    """
    head = tr(
        "heads.place",
        attention=tr(f"attention.{row.attention}"),
        layer=row.layer,
        head=row.head,
    )

    @st.dialog(f"{head} · {tr(f'kind.{measured.kind}')}", width="large")
    def show() -> None:
        st.markdown(in_a_sentence(measured, tr))
        st.caption(tr(f"heads.where_{_source_of(measured)}"))
        if measured.occurrences is None:
            return
        # Grammatical relations were measured between words, not subwords.
        at = replace(address, unit="words") if measured.kind in RELATIONS else address
        if measured.occurrences.most:
            st.header(tr("heads.where_most"), anchor=False)
            _links(measured.occurrences.most, row, at)
        if measured.occurrences.least:
            st.header(tr("heads.where_least"), anchor=False)
            _links(measured.occurrences.least, row, at)

    show()


def _source_of(measured: MeasuredKind) -> str:
    """Return the origin of the sentences, as the suffix of a text key."""
    if measured.kind in RELATIONS:
        return "marked"
    return "links" if measured.kind == "alignment" else "hint"


def _links(sentences: Sequence[Occurrence], row: HeadRow, address: Address) -> None:
    """Show a link to the explorer for each sentence.

    Args:
        sentences: with the share of each.
        row: the head.
        address: the choices of the visitor, which the links keep.
    """
    for sentence in sentences:
        there = row.shown_in(sentence.source, sentence.target, address)
        st.page_link(
            PAGES["explorer"],
            label=f"{percent(sentence.rate)}% · {escape_markdown(sentence.source)}",
            query_params=encode(there, EXPLORER),
        )
