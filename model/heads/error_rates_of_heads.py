"""Alignment error rate of every cross-attention head and layer, read in four ways.

Two rows can stand for a target word: the one that writes it (AWO, attention when the word is
output) and the one that reads it (AWI, when it is input). And a cell can be a weight, or the
norm of what the weight brings.

Source: Kobayashi et al. 2020, section 5.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Literal, get_args

import numpy as np
import torch
from msgspec import Struct

from model.data.tokenizer import Side, Token
from model.files.json_file import Number
from model.heads.alignment_error_rate import (
    AlignedPair,
    Links,
    Words,
    alignment_error_rate,
    strongest_links,
)
from model.maps.value_norms import head_norms, layer_norms
from model.maps.words import groups_of, merge_subwords
from model.trace.base import Array, InputError, read_sentence
from model.trace.transformer import Trace
from model.translation_model import TranslationModel

Row = Literal["AWO", "AWI"]
Measure = Literal["weights", "norms"]
Found = dict[tuple[Measure, Row], list[dict[AlignedPair, Links]]]
ROWS: tuple[Row, ...] = get_args(Row)
MEASURES: tuple[Measure, ...] = get_args(Measure)
_SHOWN = 50  # characters of a sentence that is refused


class Rates(Struct, frozen=True):
    """Alignment error rates of cross-attention in one reading.

    Args:
        heads: (layers, H).
        layers: (layers,) of the mean of a layer's weights, or of the norm of its summed vectors.
    """

    heads: list[list[Number]]
    layers: list[Number]


def word_maps(
    t: TranslationModel, trace: Trace, cells: Array, row: Row, pair: AlignedPair | None = None
) -> Array:
    """Subwords put together to words, special tokens left out.

    Args:
        t: the model that the trace was taken of.
        trace: of a pair.
        cells: (..., T, S) of a cross-attention, T positions of the decoder.
        row: which position stands for a target word.
        pair: the pair, where it may have words of its own.

    Returns:
        (..., target words, source words).
    """
    source_words, target_words = (pair.source_words, pair.target_words) if pair else (None, None)
    sources = _groups(t, [token.id for token in trace.src], source_words, "source")
    targets = _groups(t, trace.tgt_ids, target_words, "target")  # places in BOS ... EOS
    shift = 1 if row == "AWO" else 0  # position i reads tgt_ids[i] and writes tgt_ids[i + 1]
    rows = [[subword - shift for subword in word] for word in targets]
    return merge_subwords(cells, rows, sources)


def _groups(
    t: TranslationModel, ids: Sequence[int], words: Words | None, side: Side
) -> list[list[int]]:
    """The subwords of every word."""
    if words is not None:
        tokens = read_sentence(t.model, t.tokenizer, "".join(words), side=side)
        return subwords_of(words, tokens)
    numbers = t.tokenizer.word_numbers(ids, side)
    return [group for group in groups_of(numbers) if numbers[group[0]] is not None]


def subwords_of(words: Words, tokens: Sequence[Token]) -> list[list[int]]:
    """Which tokens write each word: those whose place reaches into it.

    A token that reaches into two words belongs to both, so that no word is without one.

    Args:
        words: each with the space before it, together the whole text.
        tokens: of that text, with BOS and EOS.
    """
    ends = list(accumulate(map(len, words)))
    return [
        [n for n, token in enumerate(tokens) if token.start < end and start < token.end]
        for start, end in zip([0, *ends], ends, strict=False)
    ]


def error_rates(t: TranslationModel, pairs: Iterable[AlignedPair]) -> dict[str, Rates]:
    """Error rates of all heads and of all layers.

    Args:
        t: a model.
        pairs: aligned by hand; the target is read, not generated.

    Returns:
        For each measure and row, as in ``"weights AWO"``.
    """
    pairs = list(pairs)
    return judged(links_of_heads(t, pairs), pairs, t.config.n_layers)


def why_left_out(t: TranslationModel, pair: AlignedPair) -> str | None:
    """What the model says to a text that it cannot take; None if it takes both."""
    try:
        read_sentence(t.model, t.tokenizer, pair.source)
        read_sentence(t.model, t.tokenizer, pair.target, side="target")
    except InputError as error:
        return str(error)
    return None


def check_pairs(t: TranslationModel, pairs: Iterable[AlignedPair]) -> None:
    """ValueError for the first pair that the model cannot take."""
    for pair in pairs:
        if why := why_left_out(t, pair):
            shown = f"{pair.source[:_SHOWN]!r} and {pair.target[:_SHOWN]!r}"
            raise ValueError(f"the aligned pair {shown} cannot be measured. {why}")


def links_of_heads(t: TranslationModel, pairs: Iterable[AlignedPair]) -> Found:
    """What each head of each layer, and then the layer as a whole, links in each pair."""
    n_methods = t.config.n_layers * (t.config.n_heads + 1)
    found: Found = {
        (measure, row): [{} for _ in range(n_methods)] for measure in MEASURES for row in ROWS
    }
    for pair in pairs:
        trace = t.trace(pair.source, target=pair.target)
        for measure in MEASURES:
            cells = _cells(t, trace, measure)  # (layers (H + 1), T, S)
            for row in ROWS:
                maps = word_maps(t, trace, cells, row, pair)
                for links, words in zip(found[measure, row], maps, strict=True):
                    links[pair] = strongest_links(words)
    return found


def judged(found: Found, pairs: Sequence[AlignedPair], n_layers: int) -> dict[str, Rates]:
    """Error rates of these pairs, as ``error_rates`` gives them.

    Args:
        found: what ``links_of_heads`` gave, of these pairs at least.
        pairs: on which they are judged.
        n_layers: of the model.
    """
    rates = {}
    for (measure, row), methods in found.items():
        all_rates = np.array(
            [alignment_error_rate((links[pair], pair) for pair in pairs) for links in methods]
        )
        by_layer = all_rates.reshape(n_layers, -1)
        rates[f"{measure} {row}"] = Rates(by_layer[:, :-1].tolist(), by_layer[:, -1].tolist())
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
