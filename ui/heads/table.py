"""The table of all heads: what matters first, and on a click the head itself."""

import base64
import io
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import streamlit as st
from PIL import Image, ImageColor

from model import InputError, Trace, TranslationModel
from model.heads.analysis_file import Analysis
from model.heads.kinds import HEAD_KINDS, MeasuredKind
from model.maps.measures import clearest_trace
from model.pictures.colours import COLOURS, Colours, Theme
from model.transformer.heads import KINDS
from ui.components.head_table import Chip, Column, Row, head_table
from ui.export.figure import offer_file
from ui.export.tables import Table, as_csv
from ui.frame.controls import box, choose
from ui.frame.head_kinds import chips
from ui.frame.page import PAGES
from ui.frame.pickers import choose_named
from ui.heads.catalogue import (
    DOES,
    HEAD,
    MEASURES,
    ORDERS,
    SMALL_FIRST,
    HeadRow,
    catalogue,
    in_order,
)
from ui.heads.occurrences import show_occurrences
from ui.state.address import spell_heads
from ui.state.choices import go_on_with
from ui.state.link import picked, reject
from ui.state.memory import remember
from ui.state.models import PageRun, trace_of
from ui.text.examples import SENTENCES
from ui.text.numbers import percent, signed
from ui.text.translator import Translator


class HeadPicture(NamedTuple):
    """A head's map in one sentence, as a data URL."""

    sentence: str
    url: str


Pictures = Mapping[tuple[str, int, int], HeadPicture]  # by attention, layer and head, both from 1
FIRST = ("log_prob_change", "error_rate")  # of the numbers: how much a head matters, how it aligns
_SORT = "heads.sort"
_WAYS = ("up", "down")
_FIRST_ORDER = ("log_prob_change", "up")  # whose removal costs most
_SIDE = 48  # pixels of a map in the table


def show_catalogue(analysis: Analysis, run: PageRun, tr: Translator) -> None:
    """A row for each head, to be sorted and filtered; a click opens the head in the explorer."""
    name, down = _order()
    with st.container(horizontal=True, horizontal_alignment="distribute"):
        attention = _one_of(tr("attention.label"), "heads.attention", "attention", KINDS, tr)
        ways = ("first", "all")
        whole = choose_named("heads.columns", ways, tr, label_visibility="collapsed")
    rows = in_order(_chosen(analysis, attention, tr), name, down=down)
    if not rows:
        st.caption(tr("heads.none"))
        return
    shown = _pictures(run.model, st.context.theme.type or "light")
    measures = [*MEASURES] if whole == "all" else FIRST
    opened = head_table(
        [_row(row, shown, measures, tr) for row in rows],
        [
            Column(HEAD, tr("head.label")),
            Column(DOES, tr("heads.label")),
            *(Column(one, tr(f"heads.column.{one}"), tr(f"heads.help.{one}")) for one in measures),
        ],
        sorted_by=name,
        down=down,
        label=tr("heads.table"),
        key="heads.table",
        on_sort=partial(_sort, name, down),
    )
    st.caption(tr("heads.hint"))
    with box(tr("heads.how"), key="heads.how") as told:
        if told:
            st.markdown(tr("heads.about", n=analysis.sentences))
            st.code(analysis.command, language=None, wrap_lines=True)
            _offer_numbers(rows, analysis, run.model, tr)
    for row in rows:
        if opened == _spelt(row):
            go_on_with(row.shown_in(shown[row[:3]].sentence, "", run.address))
            st.switch_page(PAGES["explorer"])
        for one in row.kinds:
            if opened == _where(row, one):
                show_occurrences(row, one, run.address, tr)


def _one_of(label: str, key: str, prefix: str, names: Sequence[str], tr: Translator) -> str:
    return choose(
        label,
        ["all", *names],
        default="all",
        key=key,
        format_func=lambda name: tr("heads.all") if name == "all" else tr(f"{prefix}.{name}"),
        wrap=True,
        label_visibility="collapsed",
    )


def _chosen(analysis: Analysis, attention: str, tr: Translator) -> list[HeadRow]:
    """The heads that are asked for, layer by layer."""
    rows = catalogue(analysis)
    there = {one.kind for row in rows for one in row.kinds}
    kinds = [kind for kind in HEAD_KINDS if kind in there]
    label = _one_of(tr("heads.label"), "heads.label", "kind", kinds, tr)
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
        reject(_SORT)
        name, way = _FIRST_ORDER
    return name, way == "down"


def _sort(before: str, down: bool, name: str) -> None:
    """A click on a column: its own way first, the other way if it gives the order already."""
    now = not down if name == before else name not in SMALL_FIRST
    st.session_state[_SORT] = (name, _WAYS[now])


def _row(row: HeadRow, shown: Pictures, measures: Sequence[str], tr: Translator) -> Row:
    place = {"attention": tr(f"attention.{row.attention}"), "layer": row.layer, "head": row.head}
    does = []
    for one, (sign, says) in zip(row.kinds, chips(row.kinds, tr), strict=True):
        what = "rate" if one.kind == "alignment" else "share"  # of errors; of what it does
        name = tr(f"heads.does_{what}", name=tr(f"kind.{one.kind}"), n=percent(one.number))
        does.append(Chip(sign, name, says, _where(row, one) if one.occurrences else ""))
    cells = [(MEASURES[name], row.numbers[name]) for name in measures]
    return Row(
        name=_spelt(row),
        title=tr("heads.place", **place),
        picture=shown[row[:3]].url,
        chips=does,
        cells=["" if number is None else signed(number, form) for form, number in cells],
    )


def _offer_numbers(
    rows: Sequence[HeadRow], analysis: Analysis, t: TranslationModel, tr: Translator
) -> None:
    """All columns of these rows, whichever are shown."""
    table = Table(
        ("attention", "layer", "head", "kinds", *MEASURES),
        [
            (*row[:3], ", ".join(one.kind for one in row.kinds), *row.numbers.values())
            for row in rows
        ],
    )
    whole = table.of_all_rows({"checkpoint": t.name, "sentences": analysis.sentences})
    offer_file(tr("heads.save"), partial(as_csv, {"heads": whole}), "heads.csv", key="heads.save")


def _examples(t: TranslationModel) -> dict[str, Trace]:
    """The sentences that can be taken here, and their traces.

    Raises:
        InputError: all are longer than this model, or this server, takes.
    """
    found = {}
    for sentence in SENTENCES:
        with suppress(InputError):
            found[sentence] = trace_of(t, sentence)
    return found or {SENTENCES[-1]: trace_of(t, SENTENCES[-1])}


def _pictures(t: TranslationModel, theme: Theme) -> Pictures:
    """Every head in the example sentence that shows it best; drawn once for all visitors."""

    def draw() -> Pictures:
        sentences, traces = zip(*_examples(t).items(), strict=True)
        drawn: dict[tuple[str, int, int], HeadPicture] = {}
        for kind in KINDS:
            maps = [trace.attention(kind).weights for trace in traces]
            for (layer, head), n in np.ndenumerate(clearest_trace(traces, kind)):
                picture = thumbnail(maps[n][layer, head], COLOURS[theme])
                drawn[kind, layer + 1, head + 1] = HeadPicture(sentences[n], picture)
        return drawn

    return remember("pictures", (t.version, theme), draw)


def thumbnail(weights: npt.NDArray[np.floating], colours: Colours) -> str:
    """A (T, S) map in [0, 1] as a small PNG in a data URL, every cell a few pixels."""
    cells = [
        [ImageColor.getrgb(colours.of(weight)) for weight in row]
        for row in np.clip(weights, 0, 1).tolist()
    ]
    picture = Image.fromarray(np.array(cells, dtype=np.uint8))
    file = io.BytesIO()
    picture.resize((_SIDE, _SIDE), Image.Resampling.NEAREST).save(file, "PNG")
    return f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"


def _spelt(row: HeadRow) -> str:
    return spell_heads([(row.attention, row.layer - 1, row.head - 1)])


def _where(row: HeadRow, one: MeasuredKind) -> str:
    return f"{_spelt(row)} {one.kind}"
