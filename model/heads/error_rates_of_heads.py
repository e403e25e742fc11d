"""Alignment error rate of every cross-attention head and layer, read in four ways.

Two rows can stand for a target word: the one that writes it (AWO, attention when the word is
output) and the one that reads it (AWI, when it is input). And a cell can be a weight, or the
norm of what the weight brings.

Source: Kobayashi et al. 2020, section 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import torch

from model.heads.alignment_error_rate import (
    AlignedPair,
    Links,
    alignment_error_rate,
    strongest_links,
)
from model.maps.value_norms import head_norms, layer_norms
from model.maps.words import groups_of, merge_subwords
from model.trace.base import Array
from model.trace.transformer import Trace
from model.translation_model import TranslationModel

Row = Literal["AWO", "AWI"]
Measure = Literal["weights", "norms"]
ROWS: tuple[Row, ...] = ("AWO", "AWI")
MEASURES: tuple[Measure, ...] = ("weights", "norms")


def word_maps(t: TranslationModel, trace: Trace, cells: Array, row: Row) -> Array:
    """Subwords put together to words, special tokens left out.

    Args:
        t: the model that the trace was taken of.
        trace: of a pair.
        cells: (..., T, S) of a cross-attention, T positions of the decoder.
        row: which position stands for a target word.

    Returns:
        (..., target words, source words).
    """
    sources = _word_groups(t, [token.id for token in trace.src])
    targets = _word_groups(t, trace.tgt_ids)  # places in BOS ... EOS
    shift = 1 if row == "AWO" else 0  # position i reads tgt_ids[i] and writes tgt_ids[i + 1]
    rows = [[subword - shift for subword in word] for word in targets]
    return merge_subwords(cells, rows, sources)


def _word_groups(t: TranslationModel, ids: Sequence[int]) -> list[list[int]]:
    words = t.tokenizer.word_numbers(ids)
    return [group for group in groups_of(words) if words[group[0]] is not None]


def error_rates(
    t: TranslationModel, pairs: Sequence[AlignedPair]
) -> dict[tuple[Measure, Row], tuple[Array, Array]]:
    """Error rates of all heads and of all layers.

    Args:
        t: a model.
        pairs: aligned by hand; the target is read, not generated.

    Returns:
        For each measure and row the rates of the heads (layers, H) and those of the layers
        (layers,), whose weights are the mean over heads and whose norms are of the summed vectors.
    """
    n_layers, n_heads = t.config.n_layers, t.config.n_heads
    found: dict[tuple[Measure, Row], list[list[tuple[Links, AlignedPair]]]] = {
        (measure, row): [[] for _ in range(n_layers * (n_heads + 1))]
        for measure in MEASURES
        for row in ROWS
    }
    for pair in pairs:
        trace = t.trace(pair.source, target=pair.target)
        for measure in MEASURES:
            cells = _cells(t, trace, measure)  # (layers (H + 1), T, S)
            for row in ROWS:
                maps = word_maps(t, trace, cells, row)
                for judged, words in zip(found[measure, row], maps, strict=True):
                    judged.append((strongest_links(words), pair))
    rates = {}
    for key, methods in found.items():
        all_rates = np.array([alignment_error_rate(method) for method in methods])
        by_layer = all_rates.reshape(n_layers, n_heads + 1)
        rates[key] = (by_layer[:, :-1], by_layer[:, -1])
    return rates


@torch.inference_mode()
def _cells(t: TranslationModel, trace: Trace, measure: Measure) -> Array:
    """All heads of a layer and then the layer as a whole, layer after layer."""
    cells = []
    for layer in range(t.config.n_layers):
        if measure == "weights":
            heads = trace.cross[layer]
            whole = heads.mean(axis=0)
        else:
            heads = head_norms(t.model, trace, "cross", layer)
            whole = layer_norms(t.model, trace, "cross", layer)
        cells += [*heads, whole]
    return np.stack(cells)
