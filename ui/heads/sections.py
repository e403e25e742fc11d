"""The parts of the page "Heads"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import streamlit as st

from model.files.schemas import Analysis
from model.heads.analysis import read_analysis
from model.maps.showcase import clearest
from model.trace.transformer import KINDS
from ui.charts.lines import lines
from ui.export.figure import figure
from ui.export.provenance import about_page
from ui.frame.controls import choose
from ui.frame.page import PAGES
from ui.frame.picture import show_chart, show_table
from ui.heads.catalogue import LABELS, MEASURES, HeadRow, catalogue
from ui.heads.thumbnail import thumbnail
from ui.state.address import Address
from ui.state.choices import go_on_with
from ui.state.memory import remember
from ui.state.models import open_model, open_trace, version
from ui.text.examples import SENTENCES
from ui.text.markup import alert, as_typed
from ui.text.translator import Translator

if TYPE_CHECKING:
    from model import Trace


class Picture(NamedTuple):
    """A head's map in one sentence, as a data URL."""

    sentence: str
    url: str


Pictures = Mapping[tuple[str, int, int], Picture]  # by attention, layer and head, both from 1
_ORDERS = ("gradient", "removal", "random")


def open_analysis(address: Address, tr: Translator) -> Analysis | None:
    """The analysis of the checkpoint, or a sentence that says how to make one."""
    folder = open_model(address.checkpoint).folder
    try:
        analysis = read_analysis(folder)
    except ValueError as problem:
        st.html(alert(str(problem)))
        return None
    if analysis is None:
        st.html(alert(tr("heads.missing", name=folder.name)))
    return analysis


def show_catalogue(analysis: Mapping[str, Any], address: Address, tr: Translator) -> None:
    """A row for each head, to be sorted and filtered; a click opens the head in the explorer."""
    command = as_typed(analysis.get("command", ""))
    st.caption(tr("heads.about", n=analysis["sentences"], command=command))
    with st.container(horizontal=True):
        attention = choose(
            tr("attention.label"),
            ("all", *KINDS),
            default="all",
            key="heads.attention",
            format_func=lambda name: tr("heads.all") if name == "all" else tr(f"attention.{name}"),
            wrap=True,
        )
        label = choose(
            tr("heads.label"),
            ("all", *LABELS),
            default="all",
            key="heads.label",
            format_func=lambda name: tr(f"heads.{name}"),
            wrap=True,
        )
    rows = [
        row
        for row in catalogue(analysis)
        if attention in ("all", row.attention) and (label == "all" or label in row.labels)
    ]
    if not rows:
        st.caption(tr("heads.none"))
        return
    shown = _pictures(address, _scale())
    picked = show_table(
        _table(rows, shown, tr),
        key=f"heads.table.{attention}.{label}",
        row_height=54,
        height=620,
        column_config=_columns(tr),
        on_select="rerun",
        selection_mode="single-row",
    )
    st.caption(tr("heads.hint"))
    # a browser can send anything; what counts is a row of this table
    chosen = [row for row in picked["selection"]["rows"] if row in range(len(rows))]
    if chosen:
        row = rows[chosen[0]]
        _open(row, shown[row.attention, row.layer, row.head].sentence, address)


def show_pruning(analysis: Mapping[str, Any], address: Address, tr: Translator) -> None:
    """BLEU with fewer and fewer heads."""
    st.header(tr("heads.pruning"), anchor=False)
    curves = analysis["pruning"]
    removed = np.array([point["removed"] for point in curves[_ORDERS[0]]], dtype=np.float64)
    chart = lines(
        {
            tr(f"heads.order.{order}"): np.array([point["bleu"] for point in curves[order]])
            for order in _ORDERS
        },
        removed,
        x_title=tr("heads.removed"),
        y_title="BLEU",
        points=True,
    )
    name = open_model(address.checkpoint).name
    what = about_page("heads", checkpoint=name, sentences=analysis["sentences"])
    with figure("pruning", tr, title=tr("heads.pruning"), about=what) as shown:
        show_chart(chart, shown, key="heads.pruning")
    st.caption(tr("heads.pruning_note"))


def _example(address: Address, sentence: str) -> Trace:
    return open_trace(address.checkpoint, sentence, target="", beam=1)


def _pictures(address: Address, colours: Sequence[str]) -> Pictures:
    """Every head in the example sentence that shows it best; drawn once for all visitors."""

    def draw() -> Pictures:
        traces = [_example(address, sentence) for sentence in SENTENCES]
        drawn: dict[tuple[str, int, int], Picture] = {}
        for kind in KINDS:
            maps = [trace.attention(kind).weights for trace in traces]
            for (layer, head), place in np.ndenumerate(clearest(traces, kind)):
                picture = thumbnail(maps[place][layer, head], colours)
                drawn[kind, layer + 1, head + 1] = Picture(SENTENCES[place], picture)
        return drawn

    folder = open_model(address.checkpoint).folder
    return remember("pictures", (version(folder), tuple(colours)), draw)


def _table(rows: Sequence[HeadRow], shown: Pictures, tr: Translator) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "picture": [shown[row.attention, row.layer, row.head].url for row in rows],
            "attention": [tr(f"attention.{row.attention}") for row in rows],
            "layer": [row.layer for row in rows],
            "head": [row.head for row in rows],
            "labels": [[tr(f"heads.{label}") for label in row.labels] for row in rows],
        }
        | {name: [row.numbers[name] for row in rows] for name in MEASURES}
    )


def _scale() -> list[str]:
    """The theme's sequential colours."""
    theme = st.context.theme.type or "light"
    colours: list[str] = st.get_option(f"theme.{theme}.chartSequentialColors")
    return colours


def _columns(tr: Translator) -> dict[str, Any]:
    number = st.column_config.NumberColumn
    formats = {
        "offset": "%d",
        "gradient": "%.4f",
        "bleu_change": "%+.2f",
        "log_prob_change": "%+.4f",
    }
    return {
        "picture": st.column_config.ImageColumn(tr("heads.column.picture"), width="small"),
        "attention": st.column_config.TextColumn(tr("attention.label")),
        "layer": number(tr("layer.label"), width="small"),
        "head": number(tr("head.label"), width="small"),
        "labels": st.column_config.ListColumn(tr("heads.label")),
    } | {
        name: number(
            tr(f"heads.column.{name}"),
            help=tr(f"heads.help.{name}"),
            format=formats.get(name, "%.2f"),
        )
        for name in MEASURES
    }


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
