"""The facts in the tour: properties of the visible page, and measurements of the model."""

from contextlib import suppress
from math import exp, floor
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from model import CheckpointError, Trace
from model.alignment.cross_validation import Alignment
from model.heads.analysis_file import Analysis
from model.heads.kinds import best_awi_head
from model.interventions.ablation import ablation_effect, ablations_of
from model.maps.measures import clearest_row
from model.transformer.heads import Head, all_heads
from ui.export.tables import Labels
from ui.frame.head_kinds import read_analysis
from ui.state.address import read_heads
from ui.state.memory import remember
from ui.state.models import PageRun
from ui.text.numbers import signed

Facts = dict[str, object]  # by the names that ``ui.tour.steps`` reads


class Known(NamedTuple):
    """The measurements of a model that the tour needs, including alignment error rates."""

    analysis: Analysis
    alignment: Alignment  # the alignment that the analysis contains
    aligner: Head  # the cross-attention head with the lowest alignment error rate


def measured(run: PageRun) -> Known | None:
    """Return the measurements of the model; None if they are missing or unusable."""
    with suppress(CheckpointError):  # the page "Heads" shows this error
        analysis = read_analysis(run.model)
        best = best_awi_head(analysis)
        if analysis and analysis.alignment and best:
            return Known(analysis, analysis.alignment, ("cross", *best))
    return None


def of_map(weights: npt.NDArray[np.float32], labels: Labels) -> Facts:
    """Return the clearest row of the large (T, S) map, and the key with its largest weight."""
    row, column = clearest_row(weights, labels.rows, labels.columns)
    return {
        "row": labels.rows[row],
        "column": labels.columns[column],
        "percent": floor(100 * float(weights[row, column]) + 0.5),
        "row_number": row,  # from 0
    }


def of_removal(trace: Trace, run: PageRun) -> Facts:
    """Return the effect of the currently ablated heads on the translation.

    {} if no head is ablated, or if the page shows another experiment or another kind of ablation.
    """
    t = run.model
    address = run.address
    heads = read_heads(address.ablated)
    ablated = tuple(head for head in all_heads(t.config) if head in heads)
    if not ablated or address.mode != "zero" or address.show:
        return {}
    key = t.version, trace.source_text, trace.tgt_ids, address.mode, ablated
    effect = remember(
        "ablation", key, lambda: ablation_effect(t, trace, ablations_of(t.config, ablated, "zero"))
    )
    change = float((effect.log_probs - trace.log_probs).sum())  # in nats
    return {
        "ablated": ablated,
        "same": effect.text == trace.target_text,
        "lost": change < 0,
        "change": signed(change),
        "times": ratio(abs(change)),
    }


def ratio(nats: float) -> str:
    """Return a log-probability difference as a factor, with at least two digits.

    >>> ratio(2.44), ratio(0.1), ratio(9.0)
    ('11', '1.1', '8,103')
    """
    times = exp(min(nats, 100.0))  # a larger number would not be readable
    return f"{times:.1f}" if times < 9.95 else f"{times:,.0f}"
