"""The analysis of a checkpoint as rows of a table. Pure: no Streamlit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from msgspec.structs import asdict

from model.heads.analysis_file import Analysis
from model.heads.kinds import Found, best_rate, kinds_of
from model.transformer.heads import KINDS, Kind


@dataclass(frozen=True)
class HeadRow:
    """One head and everything that was measured of it.

    Args:
        attention: which of the three.
        layer: from 1.
        head: from 1.
        kinds: what it is called for.
        numbers: by the name of the measure; a missing one is None.
    """

    attention: Kind
    layer: int
    head: int
    kinds: tuple[Found, ...]
    numbers: Mapping[str, float | None]


class Measure(NamedTuple):
    """How the numbers of one column are shown.

    Args:
        format: of a number.
        small_first: the first click puts the smallest first. What is lost without a head is
            negative: the head that matters most comes first.
    """

    format: str = ".2f"
    small_first: bool = False


MEASURES = {
    "entropy": Measure(),
    "confidence": Measure(),
    "sink_mass": Measure(),
    "offset": Measure(".0f"),
    "offset_share": Measure(),
    "distance": Measure(),
    "gradient": Measure(".4f"),
    "bleu_change": Measure("+.2f", small_first=True),
    "log_prob_change": Measure("+.4f", small_first=True),
    "error_rate": Measure(small_first=True),
}


def catalogue(analysis: Analysis) -> list[HeadRow]:
    """All heads of an analysis, layer by layer.

    Args:
        analysis: of a checkpoint.
    """
    return [
        _row(analysis, attention, layer, head)
        for attention in KINDS
        for layer, heads in enumerate(analysis.statistics[attention])
        for head in range(len(heads))
    ]


def _row(analysis: Analysis, attention: Kind, layer: int, head: int) -> HeadRow:
    statistics = analysis.statistics[attention][layer][head]
    importance = {
        name: values[attention][layer][head] for name, values in asdict(analysis.importance).items()
    }
    rate = best_rate(analysis, layer, head) if attention == "cross" else None
    # As everywhere in the app: what is lost is negative.
    changes = {
        "bleu_change": -importance["lost_bleu"],
        "log_prob_change": -importance["lost_log_prob"],
    }
    numbers = {**asdict(statistics), **importance, **changes, "error_rate": rate}
    return HeadRow(
        attention,
        layer + 1,
        head + 1,
        kinds_of(analysis, attention, layer, head),
        {name: numbers[name] for name in MEASURES},
    )
