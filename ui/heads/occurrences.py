"""Where else a head does what it is called for, and where it could and does not."""

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


def show_occurrences(row: HeadRow, one: MeasuredKind, address: Address, tr: Translator) -> None:
    """A dialog over the page: what was measured, and sentences that open in the explorer."""
    place = {"attention": tr(f"attention.{row.attention}"), "layer": row.layer, "head": row.head}

    @st.dialog(f"{tr('heads.place', **place)} · {tr(f'kind.{one.kind}')}", width="large")
    def show() -> None:
        st.markdown(in_a_sentence(one, tr))
        st.caption(tr(f"heads.where_{_measured_in(one)}"))
        if found := one.occurrences:
            for title, some in (("most", found.most), ("least", found.least)):
                if some:
                    st.header(tr(f"heads.where_{title}"), anchor=False)
                    _links(some, row, at)

    at = replace(address, unit="words") if one.kind in RELATIONS else address
    show()


def _measured_in(one: MeasuredKind) -> str:
    if one.kind in RELATIONS:
        return "marked"
    return "links" if one.kind == "alignment" else "hint"


def _links(sentences: Sequence[Occurrence], row: HeadRow, at: Address) -> None:
    for one in sentences:
        there = row.shown_in(one.source, one.target, at)
        st.page_link(
            PAGES["explorer"],
            label=f"{percent(one.rate)}% · {escape_markdown(one.source)}",
            query_params=encode(there, EXPLORER),
        )
