"""The analysis of a checkpoint as table rows, sorted by a column, without Streamlit."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from msgspec.structs import asdict

from model.alignment.cross_validation import best_method
from model.heads.analysis_file import Analysis
from model.heads.kinds import HEAD_KINDS, MeasuredKind, kinds_of
from model.transformer.heads import KINDS, Kind
from ui.state.address import Address


class HeadRow(NamedTuple):
    """One head with all its measurements."""

    attention: Kind
    layer: int  # from 1
    head: int  # from 1
    kinds: tuple[MeasuredKind, ...]  # its labels, such as "previous token"
    numbers: Mapping[str, float | None]  # name of a measure -> its number; None if not measured

    def shown_in(self, sentence: str, target: str, address: Address) -> Address:
        """Return the address (URL) at which the explorer shows the head large.

        Args:
            sentence: to translate.
            target: the translation to read; empty: the model writes one.
            address: the visitor's other choices.
        """
        return replace(
            address,
            sentence=sentence,
            target=target,
            attention=self.attention,
            layer=self.layer,
            head=self.head,
            view="head",
            panel="map",
            beam=1,
        )


# Name of each column -> format of its numbers, in the order of the columns.
MEASURES = {
    "log_prob_change": "+.4f",
    "error_rate": ".2f",
    "bleu_change": "+.2f",
    "entropy": ".2f",
    "confidence": ".2f",
    "sink_mass": ".2f",
    "offset": ".0f",
    "offset_share": ".2f",
    "distance": ".2f",
    "gradient": ".4f",
}
HEAD = "head"  # the column with layer and head
DOES = "does"  # the column with the labels of the head's behaviour
ORDERS = (HEAD, DOES, *MEASURES)  # columns by which the table can be sorted
# Columns that the first click sorts in ascending order. A loss is a negative number, so the most
# important head comes first.
SMALL_FIRST = (HEAD, DOES, "log_prob_change", "error_rate", "bleu_change")


def catalogue(analysis: Analysis) -> list[HeadRow]:
    """Return all heads of an analysis as rows, layer by layer."""
    return [
        _row(analysis, attention, layer, head)
        for attention in KINDS
        for layer, heads in enumerate(analysis.statistics[attention])
        for head in range(len(heads))
    ]


def _row(analysis: Analysis, attention: Kind, layer: int, head: int) -> HeadRow:
    """Return all numbers of one head.

    Args:
        analysis: of the model.
        attention: the kind of attention.
        layer: from 0.
        head: from 0.
    """
    importance = analysis.importance
    error_rate = None
    if attention == "cross" and analysis.alignment:
        error_rate = best_method(analysis.alignment, layer, head).rate
    numbers = {
        **asdict(analysis.statistics[attention][layer][head]),
        "gradient": importance.gradient[attention][layer][head],
        # A loss is a negative number, as everywhere in the app.
        "bleu_change": -importance.lost_bleu[attention][layer][head],
        "log_prob_change": -importance.lost_log_prob[attention][layer][head],
        "error_rate": error_rate,
    }
    return HeadRow(
        attention=attention,
        layer=layer + 1,
        head=head + 1,
        kinds=kinds_of(analysis, attention, layer, head),
        numbers={name: numbers[name] for name in MEASURES},
    )


def in_order(rows: Sequence[HeadRow], name: str, *, down: bool) -> list[HeadRow]:
    """Sort the rows by a column. Rows without a number come last; equal rows keep their order.

    Args:
        rows: layer by layer.
        name: one of ``ORDERS``.
        down: whether the largest number comes first.
    """
    if name == HEAD:
        return list(reversed(rows)) if down else list(rows)
    values = [(_sort_value(row, name), row) for row in rows]
    with_value = [(value, row) for value, row in values if value is not None]
    with_value.sort(key=lambda pair: pair[0], reverse=down)
    without_value = [row for value, row in values if value is None]
    return [row for _, row in with_value] + without_value


def _sort_value(row: HeadRow, name: str) -> tuple[float, ...] | None:
    """Return the sort key of a row: its number, or its first label with that label's value."""
    if name == DOES:
        if not row.kinds:
            return None
        first = row.kinds[0]
        return HEAD_KINDS.index(first.kind), -first.number
    number = row.numbers[name]
    return None if number is None else (number,)
