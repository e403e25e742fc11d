"""The table of all heads: what matters first, and on a click the head itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
import streamlit as st

from model import InputError, Trace, TranslationModel
from model.heads.analysis_file import Analysis
from model.heads.kinds import HEAD_KINDS, Found
from model.maps.measures import clearest_trace
from model.pictures.colours import COLOURS, Theme
from model.transformer.heads import KINDS
from ui.components.head_table import Chip, Column, Row, head_table
from ui.export.tables import Table, as_csv
from ui.frame.controls import choose
from ui.frame.head_kinds import says
from ui.frame.page import PAGES
from ui.heads.catalogue import MEASURES, HeadRow, catalogue
from ui.heads.order import DOES, HEAD, ORDERS, begins_down, in_order
from ui.heads.thumbnail import thumbnail
from ui.state.address import Address, spell_heads
from ui.state.choices import go_on_with
from ui.state.link import picked, refuse
from ui.state.memory import remember
from ui.state.models import PageRun, trace_of
from ui.text.examples import SENTENCES
from ui.text.markup import as_typed
from ui.text.numbers import percent, signed
from ui.text.translator import Translator


class Picture(NamedTuple):
    """A head's map in one sentence, as a data URL."""

    sentence: str
    url: str


Pictures = Mapping[tuple[str, int, int], Picture]  # by attention, layer and head, both from 1
FIRST = ("log_prob_change", "error_rate")  # of the numbers: how much a head matters, how it aligns
_SORT = "heads.sort"
_WAYS = ("up", "down")
_FIRST_ORDER = ("log_prob_change", "up")  # whose removal costs most


def show_catalogue(analysis: Analysis, run: PageRun, tr: Translator) -> None:
    """A row for each head, to be sorted and filtered; a click opens the head in the explorer."""
    command = as_typed(analysis.command)
    st.caption(tr("heads.about", n=analysis.sentences, command=command))
    name, down = _order()
    with st.container(horizontal=True):
        rows = in_order(_chosen(analysis, tr), name, down=down)
        whole = choose(
            tr("heads.columns"),
            ("first", "all"),
            default="first",
            key="heads.columns",
            format_func=lambda which: tr(f"heads.columns_{which}"),
        )
    if not rows:
        st.caption(tr("heads.none"))
        return
    shown = _pictures(run.model, st.context.theme.type or "light")
    measures = [*MEASURES] if whole == "all" else FIRST
    opened = head_table(
        [_row(row, shown, measures, tr) for row in rows],
        head=Column(HEAD, tr("head.label")),
        does=Column(DOES, tr("heads.label")),
        columns=[
            Column(one, tr(f"heads.column.{one}"), tr(f"heads.help.{one}")) for one in measures
        ],
        sorted_by=name,
        down=down,
        label=tr("heads.table"),
        key="heads.table",
        on_sort=partial(_sort, name, down),
    )
    st.caption(tr("heads.hint"))
    _offer_numbers(rows, analysis, run.model, tr)
    for row in rows:
        if opened == _spelt(row):
            _open(row, shown[row.attention, row.layer, row.head].sentence, run.address)


def _chosen(analysis: Analysis, tr: Translator) -> list[HeadRow]:
    """The heads that are asked for, layer by layer."""
    attention = choose(
        tr("attention.label"),
        ("all", *KINDS),
        default="all",
        key="heads.attention",
        format_func=lambda name: tr("heads.all") if name == "all" else tr(f"attention.{name}"),
        wrap=True,
    )
    rows = catalogue(analysis)
    there = {one.kind for row in rows for one in row.kinds}
    label = choose(
        tr("heads.label"),
        ("all", *(kind for kind in HEAD_KINDS if kind in there)),
        default="all",
        key="heads.label",
        format_func=lambda name: tr("heads.all") if name == "all" else tr(f"kind.{name}"),
        wrap=True,
    )
    return [
        row
        for row in rows
        if attention in ("all", row.attention)
        and (label == "all" or label in {one.kind for one in row.kinds})
    ]


def _order() -> tuple[str, bool]:
    """Which column gives the order, and whether its largest number comes first."""
    name, way = map(str, picked(_SORT, _FIRST_ORDER))
    if name not in ORDERS or way not in _WAYS:
        refuse(_SORT)
        name, way = _FIRST_ORDER
    return name, way == "down"


def _sort(before: str, down: bool, name: str) -> None:
    """A click on a column: its own way first, the other way if it gives the order already."""
    now = not down if name == before else begins_down(name)
    st.session_state[_SORT] = (name, _WAYS[now])


def _row(row: HeadRow, shown: Pictures, measures: Sequence[str], tr: Translator) -> Row:
    return Row(
        name=_spelt(row),
        title=tr(
            "heads.place",
            attention=tr(f"attention.{row.attention}"),
            layer=row.layer,
            head=row.head,
        ),
        picture=shown[row.attention, row.layer, row.head].url,
        chips=[
            Chip(
                tr(f"kind.{one.kind}.sign", offset=signed(one.offset, "+d")),
                tr(f"heads.does_{_by(one)}", name=tr(f"kind.{one.kind}"), n=percent(one.number)),
                says(one, tr),
            )
            for one in row.kinds
        ],
        cells=[_cell(name, row.numbers[name]) for name in measures],
    )


def _by(found: Found) -> str:
    """What its number is: of alignment a rate of errors, of all others a share."""
    return "rate" if found.kind == "alignment" else "share"


def _cell(name: str, number: float | None) -> str:
    return "" if number is None else signed(number, MEASURES[name].format)


def _offer_numbers(
    rows: Sequence[HeadRow], analysis: Analysis, t: TranslationModel, tr: Translator
) -> None:
    """All columns of these rows, whichever are shown."""
    names = ("attention", "layer", "head", "kinds", *MEASURES)
    table = Table(
        names,
        [
            (
                row.attention,
                row.layer,
                row.head,
                ", ".join(one.kind for one in row.kinds),
                *(row.numbers[name] for name in MEASURES),
            )
            for row in rows
        ],
    )
    whole = table.of_all_rows({"checkpoint": t.name, "sentences": analysis.sentences})
    st.download_button(
        tr("heads.save"),
        partial(as_csv, {"heads": whole}),
        file_name="heads.csv",
        mime="text/csv",
        on_click="ignore",
        key="heads.save",
    )


def _examples(t: TranslationModel) -> dict[str, Trace]:
    """The sentences that can be taken here, and their traces.

    Raises:
        InputError: all are longer than this model, or this server, takes.
    """
    found = {}
    for sentence in SENTENCES:
        try:
            found[sentence] = trace_of(t, sentence)
        except InputError as problem:
            too_long = problem
    if not found:
        raise too_long
    return found


def _pictures(t: TranslationModel, theme: Theme) -> Pictures:
    """Every head in the example sentence that shows it best; drawn once for all visitors."""

    def draw() -> Pictures:
        examples = _examples(t)
        traces = [*examples.values()]
        sentences = [*examples]
        drawn: dict[tuple[str, int, int], Picture] = {}
        for kind in KINDS:
            maps = [trace.attention(kind).weights for trace in traces]
            for (layer, head), place in np.ndenumerate(clearest_trace(traces, kind)):
                picture = thumbnail(maps[place][layer, head], COLOURS[theme])
                drawn[kind, layer + 1, head + 1] = Picture(sentences[place], picture)
        return drawn

    return remember("pictures", (t.version, theme), draw)


def _spelt(row: HeadRow) -> str:
    return spell_heads([(row.attention, row.layer - 1, row.head - 1)])


def _open(row: HeadRow, sentence: str, address: Address) -> None:
    go_on_with(
        replace(
            address,
            sentence=sentence,
            attention=row.attention,
            layer=row.layer,
            head=row.head,
            view="head",
            panel="map",
            target="",
            beam=1,
        )
    )
    st.switch_page(PAGES["explorer"])
