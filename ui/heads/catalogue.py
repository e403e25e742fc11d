"""The analysis of a checkpoint as rows of a table. Pure: no Streamlit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from msgspec.structs import asdict

from model.head_kinds.kinds import Found, best_rate, kinds_of
from model.heads.analysis_file import Analysis
from model.trace.transformer import KINDS, Kind


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


MEASURES = (
    "entropy",
    "confidence",
    "sink_mass",
    "offset",
    "offset_share",
    "distance",
    "gradient",
    "bleu_change",
    "log_prob_change",
    "error_rate",
)


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
