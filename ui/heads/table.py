"""The table of all heads, the most important first. A click on a row opens the head."""

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
from ui.export.file_name import file_stem
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
from ui.state.codecs import Clicked, ClickedValue
from ui.state.memory import remember
from ui.state.models import PageRun, trace_of
from ui.state.visitor import visitor
from ui.text.examples import SENTENCES
from ui.text.markup import guide, paragraph
from ui.text.numbers import percent, signed
from ui.text.translator import Translator


class HeadPicture(NamedTuple):
    """A head's map in one sentence, as a data URL."""

    sentence: str
    url: str
    on_paper: str = ""  # the same in light colours, as another data URL; "" if the page is light


Pictures = Mapping[tuple[str, int, int], HeadPicture]  # key: attention, layer and head, from 1
# The columns that are always shown: importance and alignment error rate.
FIRST = ("log_prob_change", "error_rate")
_SORT = "heads.sort"  # key of the order: a column and a direction
_DIRECTIONS = ("up", "down")  # ascending, descending
_FIRST_ORDER = ("log_prob_change", "up")  # the most important head comes first
_SIDE = 48  # pixels: width and height of a map in the table


def show_catalogue(analysis: Analysis, run: PageRun, tr: Translator) -> None:
    """Show a table of heads with sorting and filters. A click on a row opens the head.

    Args:
        analysis: of the model.
        run: the page's model and address.
        tr: the visitor's language.
    """
    # 1. The controls, and the rows in order.
    name, down = _order()
    with st.container(horizontal=True, horizontal_alignment="distribute"):
        attention = _choose_or_all(tr("attention.label"), "heads.attention", "attention", KINDS, tr)
        columns = choose_named("heads.columns", ("first", "all"), tr, label_visibility="collapsed")
    heads = catalogue(analysis)
    kind = _choose_kind(heads, tr)
    rows = in_order(_filtered(heads, attention, kind), name, down=down)
    if not rows:
        st.caption(tr("heads.none"))
        return
    listed = ""  # an empty text keeps the place of the table, which is not drawn anew then
    if len(rows) < len(heads):
        chosen = [] if attention == "all" else [tr(f"attention.{attention}")]
        chosen += [] if kind == "all" else [tr(f"kind.{kind}")]
        together = tr("caption.between").join(chosen)
        listed = tr("heads.listed", n=len(rows), all=len(heads), chosen=together)
    st.html(paragraph(listed, kind="guide for-paper"))

    # 2. The table.
    pictures = _pictures(run.model, st.context.theme.type or "light")
    measures = [*MEASURES] if columns == "all" else FIRST
    number_columns = [
        Column(measure, tr(f"heads.column.{measure}"), tr(f"heads.help.{measure}"))
        for measure in measures
    ]
    clicked = head_table(
        [_row(row, pictures, measures, tr) for row in rows],
        [
            Column(HEAD, tr("head.label")),
            Column(DOES, tr("heads.label")),
            *number_columns,
        ],
        sorted_by=name,
        down=down,
        label=tr("heads.table"),
        key="heads.table",
        on_sort=partial(_sort, name, down),
    )
    with st.container(horizontal=True, horizontal_alignment="distribute"):
        st.html(guide("", tr("heads.hint")))
        _offer_numbers(rows, analysis, run.model, tr)
    with box(tr("heads.how"), key="heads.how") as is_open:
        if is_open:
            st.markdown(tr("heads.about", n=analysis.sentences))
            if analysis.command:
                st.code(analysis.command, language=None, wrap_lines=True)

    # 3. The response to a click on a head or on a tag.
    for row in rows:
        if clicked == _row_name(row):
            sentence = pictures[row[:3]].sentence
            visitor().take_along(row.shown_in(sentence, "", run.address))
            st.switch_page(PAGES["explorer"])
        for measured in row.kinds:
            if clicked == _tag_name(row, measured):
                show_occurrences(row, measured, run.address, tr)


def _choose_or_all(label: str, key: str, prefix: str, names: Sequence[str], tr: Translator) -> str:
    """Ask for one of several names, or "all". Their text keys begin with ``prefix``.

    Args:
        label: of the control.
        key: of the control.
        prefix: the beginning of the text keys.
        names: the choices besides "all".
    """
    return choose(
        label,
        ["all", *names],
        default="all",
        key=key,
        format_func=lambda name: tr("heads.all") if name == "all" else tr(f"{prefix}.{name}"),
        wrap=True,
        label_visibility="collapsed",
    )


def _choose_kind(rows: Sequence[HeadRow], tr: Translator) -> str:
    """Ask for a tag that some heads have, or "all"."""
    existing = {measured.kind for row in rows for measured in row.kinds}
    kinds = [kind for kind in HEAD_KINDS if kind in existing]
    return _choose_or_all(tr("heads.label"), "heads.label", "kind", kinds, tr)


def _filtered(rows: Sequence[HeadRow], attention: str, kind: str) -> list[HeadRow]:
    """Return the heads of one attention that have a tag.

    Args:
        rows: of all heads.
        attention: which of the three; "all" stands for any.
        kind: the tag; "all" stands for any, and for none.
    """
    result = []
    for row in rows:
        has_attention = attention in ("all", row.attention)
        has_kind = kind == "all" or any(measured.kind == kind for measured in row.kinds)
        if has_attention and has_kind:
            result.append(row)
    return result


def _order() -> tuple[str, bool]:
    """Return the sort column, and whether its largest number comes first."""

    def is_possible(order: ClickedValue) -> bool:
        name, direction = order
        return name in ORDERS and direction in _DIRECTIONS

    name, direction = visitor().get(_SORT, Clicked(_FIRST_ORDER, is_possible=is_possible))
    return str(name), direction == "down"


def _sort(before: str, down: bool, name: str) -> None:
    """Sort by a column. A second click on this column reverses the order.

    Args:
        before: the column that the table was sorted by.
        down: whether its largest number came first.
        name: the column that was clicked.
    """
    if name == before:
        down_now = not down
    else:
        down_now = name not in SMALL_FIRST
    visitor().set({_SORT: (name, "down" if down_now else "up")})


def _row(row: HeadRow, pictures: Pictures, measures: Sequence[str], tr: Translator) -> Row:
    """Return the row of one head, as the table shows it.

    Args:
        row: the head with its numbers.
        pictures: the small maps of all heads.
        measures: the columns with numbers, in order.
    """
    tags = []
    for measured, (sign, sentence) in zip(row.kinds, chips(row.kinds, tr), strict=True):
        # The tag of a head that aligns shows its error rate; every other tag shows a share.
        unit = "rate" if measured.kind == "alignment" else "share"
        number = percent(measured.number)
        label = tr(f"heads.does_{unit}", name=tr(f"kind.{measured.kind}"), n=number)
        opens = _tag_name(row, measured) if measured.occurrences else ""
        tags.append(Chip(sign, label, sentence, opens))
    cells = []
    for measure in measures:
        value = row.numbers[measure]
        cells.append("" if value is None else signed(value, MEASURES[measure]))
    return Row(
        name=_row_name(row),
        title=tr(
            "heads.place",
            attention=tr(f"attention.{row.attention}"),
            layer=row.layer,
            head=row.head,
        ),
        picture=pictures[row[:3]].url,
        chips=tags,
        cells=cells,
        on_paper=pictures[row[:3]].on_paper,
    )


def _offer_numbers(
    rows: Sequence[HeadRow], analysis: Analysis, t: TranslationModel, tr: Translator
) -> None:
    """Show a button that saves the given rows with all columns.

    Args:
        rows: the heads that the table shows.
        analysis: of the model.
        t: the model and its tokenizer.
    """
    lines = []
    for row in rows:
        kinds = ", ".join(measured.kind for measured in row.kinds)
        lines.append((row.attention, row.layer, row.head, kinds, *row.numbers.values()))
    table = Table(("attention", "layer", "head", "kinds", *MEASURES), lines)
    whole = table.of_all_rows({"checkpoint": t.name, "sentences": analysis.sentences})
    file = f"{file_stem('heads', {'checkpoint': t.name})}.csv"
    offer_file(tr("heads.save"), partial(as_csv, whole), file, key="heads.save")


def _examples(t: TranslationModel) -> dict[str, Trace]:
    """Return the traces of the example sentences that are short enough for model and server.

    Raises:
        InputError: all of them are too long.
    """
    traces = {}
    for sentence in SENTENCES:
        with suppress(InputError):
            traces[sentence] = trace_of(t, sentence)
    if not traces:
        last = SENTENCES[-1]
        traces[last] = trace_of(t, last)
    return traces


def _pictures(t: TranslationModel, theme: Theme) -> Pictures:
    """Return each head's map in its clearest example sentence, cached for all visitors."""

    def draw() -> Pictures:
        sentences, traces = zip(*_examples(t).items(), strict=True)
        drawn: dict[tuple[str, int, int], HeadPicture] = {}
        for kind in KINDS:
            maps = [trace.attention(kind).weights for trace in traces]
            for (layer, head), n in np.ndenumerate(clearest_trace(traces, kind)):
                weights = maps[n][layer, head]
                picture = thumbnail(weights, COLOURS[theme])
                on_paper = thumbnail(weights, COLOURS["light"]) if theme == "dark" else ""
                drawn[kind, layer + 1, head + 1] = HeadPicture(sentences[n], picture, on_paper)
        return drawn

    return remember("pictures", (t.version, theme), draw)


def thumbnail(weights: npt.NDArray[np.floating], colours: Colours) -> str:
    """Return a (T, S) map in [0, 1] as a PNG of ``_SIDE`` x ``_SIDE`` pixels in a data URL."""
    cells = [
        [ImageColor.getrgb(colours.of(weight)) for weight in row]
        for row in np.clip(weights, 0, 1).tolist()
    ]
    picture = Image.fromarray(np.array(cells, dtype=np.uint8))
    file = io.BytesIO()
    picture.resize((_SIDE, _SIDE), Image.Resampling.NEAREST).save(file, "PNG")
    return f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"


def _row_name(row: HeadRow) -> str:
    """Return what the picture of the table sends when the row of this head is clicked."""
    return spell_heads([(row.attention, row.layer - 1, row.head - 1)])


def _tag_name(row: HeadRow, measured: MeasuredKind) -> str:
    """Return what the picture of the table sends when this tag of a head is clicked."""
    return f"{_row_name(row)} {measured.kind}"
