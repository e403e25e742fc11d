"""The analysis of a checkpoint as rows of a table. Pure: no Streamlit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from model.heads.best_aligning_head import ALIGNS
from model.heads.chosen_on_halves import best_reading
from model.trace.transformer import KINDS, Kind

Label = Literal["previous", "next", "itself", "fixed", "sink", "alignment"]
LABELS: tuple[Label, ...] = ("previous", "next", "itself", "fixed", "sink", "alignment")
_OF_OFFSET: Mapping[int, Label] = {-1: "previous", 0: "itself", 1: "next"}
SINK = 0.5  # share of the attention on special tokens and punctuation from which a head is one


@dataclass(frozen=True)
class HeadRow:
    """One head and everything that was measured of it.

    Args:
        attention: which of the three.
        layer: from 1.
        head: from 1.
        labels: what it is called for.
        numbers: by the name of the measure; a missing one is None.
    """

    attention: Kind
    layer: int
    head: int
    labels: tuple[Label, ...]
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


def catalogue(analysis: Mapping[str, Any]) -> list[HeadRow]:
    """All heads of an analysis, layer by layer.

    Args:
        analysis: as ``model.heads.analysis.read_analysis`` gives it.
    """
    return [
        _row(analysis, attention, layer, head)
        for attention in KINDS
        for layer, heads in enumerate(analysis["statistics"][attention])
        for head in range(len(heads))
    ]


def best_rate(analysis: Mapping[str, Any], layer: int, head: int) -> float | None:
    """Alignment error rate of a cross-attention head in its best reading.

    That is weights or norms, AWO or AWI; it is chosen on one half of the pairs and judged on the
    other, where halves were measured.

    Args:
        analysis: of a checkpoint.
        layer: from 0.
        head: from 0.
    """
    alignment = analysis["alignment"]
    if alignment is None:
        return None
    if choice := best_reading(alignment, layer, head):
        return choice.rate
    return float(min(rates["heads"][layer][head] for rates in alignment["rates"].values()))


def _row(analysis: Mapping[str, Any], attention: Kind, layer: int, head: int) -> HeadRow:
    statistics = analysis["statistics"][attention][layer][head]
    importance = {
        name: values[attention][layer][head] for name, values in analysis["importance"].items()
    }
    rate = best_rate(analysis, layer, head) if attention == "cross" else None
    found: dict[Label, bool] = {
        _OF_OFFSET.get(statistics["offset"], "fixed"): statistics["positional"],
        "sink": statistics["sink_mass"] > SINK,
        "alignment": rate is not None and rate < ALIGNS,
    }
    # As everywhere in the app: what is lost is negative.
    changes = {
        "bleu_change": -importance["lost_bleu"],
        "log_prob_change": -importance["lost_log_prob"],
    }
    numbers = {**statistics, **importance, **changes, "error_rate": rate}
    return HeadRow(
        attention,
        layer + 1,
        head + 1,
        tuple(label for label in LABELS if found.get(label)),
        {name: numbers[name] for name in MEASURES},
    )
