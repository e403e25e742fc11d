"""The analysis of a checkpoint as rows of a table, in the order of a column. Pure: no Streamlit."""

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
    """One head, layer and head from 1, and everything that was measured of it."""

    attention: Kind
    layer: int
    head: int
    kinds: tuple[MeasuredKind, ...]  # what it is called for
    numbers: Mapping[str, float | None]  # by the name of the measure; a missing one is None

    def shown_in(self, sentence: str, target: str, address: Address) -> Address:
        """Where the explorer shows the head large, as far as the address does not say so."""
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


MEASURES = {  # name of a column -> how its numbers are written
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
HEAD, DOES = "head", "does"
ORDERS = (HEAD, DOES, *MEASURES)
# Columns of which the first click puts the smallest first. What is lost without a head is negative:
# the head that matters most comes first.
SMALL_FIRST = (HEAD, DOES, "log_prob_change", "error_rate", "bleu_change")


def catalogue(analysis: Analysis) -> list[HeadRow]:
    """All heads of an analysis, layer by layer."""
    return [
        _row(analysis, attention, layer, head)
        for attention in KINDS
        for layer, heads in enumerate(analysis.statistics[attention])
        for head in range(len(heads))
    ]


def _row(analysis: Analysis, attention: Kind, layer: int, head: int) -> HeadRow:
    importance = analysis.importance
    alignment = analysis.alignment if attention == "cross" else None
    numbers = {
        **asdict(analysis.statistics[attention][layer][head]),
        "gradient": importance.gradient[attention][layer][head],
        # As everywhere in the app: what is lost is negative.
        "bleu_change": -importance.lost_bleu[attention][layer][head],
        "log_prob_change": -importance.lost_log_prob[attention][layer][head],
        "error_rate": best_method(alignment, layer, head).rate if alignment else None,
    }
    kinds = kinds_of(analysis, attention, layer, head)
    measured = {name: numbers[name] for name in MEASURES}
    return HeadRow(attention, layer + 1, head + 1, kinds, measured)


def in_order(rows: Sequence[HeadRow], name: str, *, down: bool) -> list[HeadRow]:
    """The rows, given layer by layer, by one of ``ORDERS``, those without a number last.

    Where it says the same they stay as they were. Down: the largest comes first.
    """
    if name == HEAD:
        return [*reversed(rows)] if down else [*rows]
    values = [(_value(row, name), row) for row in rows]
    known = [(value, row) for value, row in values if value is not None]
    known.sort(key=lambda pair: pair[0], reverse=down)
    return [row for _, row in known] + [row for value, row in values if value is None]


def _value(row: HeadRow, name: str) -> tuple[float, ...] | None:
    """What is compared; of what heads do the kind, and within it the number."""
    if name == DOES:
        return next(((HEAD_KINDS.index(one.kind), -one.number) for one in row.kinds), None)
    number = row.numbers[name]
    return None if number is None else (number,)
