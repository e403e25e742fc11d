"""What a page shows now, as far as the tour tells of it."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor

import numpy as np
import numpy.typing as npt

from model import Trace, TranslationModel
from model.interventions.ablation import ablation_effect, ablations_of
from model.maps.measures import clearest_row
from model.transformer.heads import all_heads
from ui.state.address import Address, read_heads
from ui.state.memory import remember
from ui.text.numbers import signed

Facts = dict[str, object]


def of_map(
    weights: npt.NDArray[np.float32], query_tokens: Sequence[str], key_tokens: Sequence[str]
) -> Facts:
    """One row of the large map: where it looks most, and where its cells are.

    Args:
        weights: (T, S).
        query_tokens: T visible tokens.
        key_tokens: S visible tokens.
    """
    columns = weights.shape[1]
    row, column = clearest_row(weights, query_tokens, key_tokens)
    first = row * columns
    return {
        "row": query_tokens[row],
        "column": key_tokens[column],
        "percent": floor(100 * float(weights[row, column]) + 0.5),
        "cells": (first, first + columns - 1),
    }


def of_removal(trace: Trace, t: TranslationModel, address: Address) -> Facts:
    """What the translation does without the heads that are ablated now; of none, nothing."""
    heads = read_heads(address.ablated)
    ablated = tuple(head for head in all_heads(t.config) if head in heads)
    if not ablated or address.mode != "zero" or address.show:
        return {}
    key = t.version, trace.source_text, trace.tgt_ids, address.mode, ablated
    effect = remember(
        "ablation", key, lambda: ablation_effect(t, trace, ablations_of(t.config, ablated, "zero"))
    )
    change = float((effect.log_probs - trace.log_probs).sum())
    return {
        "ablated": ablated,
        "same": effect.text == trace.target_text,
        "change": signed(change),
    }
