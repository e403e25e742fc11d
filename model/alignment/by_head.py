"""Alignment error rate of every cross-attention head and layer, by four methods.

Two rows can stand for a target word: the one that writes it (AWO, attention when the word is
output) and the one that reads it (AWI, when it is input). And a cell can be a weight, or the
norm of what the weight brings.

Source: Kobayashi et al. 2020, section 5.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Literal, get_args

import numpy as np
from msgspec import Struct

from model.alignment.error_rate import alignment_error_rate, strongest_links
from model.alignment.gold import AlignedPair, Links, Words
from model.data.tokenizer import Side, Token
from model.files.json_file import Number
from model.maps.view import CELLS, Cells, ViewChoice, groups_of, merge_subwords, take_view
from model.trace.base import Array
from model.trace.tracing import InputError, read_sentence
from model.trace.transformer import Rows, Trace
from model.translation_model import TranslationModel

Method = Literal["weights AWO", "weights AWI", "norms AWO", "norms AWI"]
METHODS: tuple[Method, ...] = get_args(Method)  # as they are called in files and on pages
_METHODS: Mapping[Method, tuple[Cells, Rows]] = {
    "weights AWO": ("weights", "written"),
    "weights AWI": ("weights", "read"),
    "norms AWO": ("value_norms", "written"),
    "norms AWI": ("value_norms", "read"),
}
LinksByHead = dict[Method, list[list[Links]]]  # of each layer its heads', then its own
_SHOWN = 50  # characters of a sentence that is refused


class Rates(Struct, frozen=True):
    """Alignment error rates of cross-attention by one method.

    Args:
        heads: (layers, H).
        layers: (layers,) of the mean of a layer's weights, or of the norm of its summed vectors.
    """

    heads: list[list[Number]]
    layers: list[Number]


def word_maps(
    t: TranslationModel, trace: Trace, cells: Array, rows: Rows, pair: AlignedPair | None = None
) -> Array:
    """Subwords put together to words, special tokens left out.

    Args:
        t: the model that the trace was taken of.
        trace: of a pair.
        cells: (..., T, S) of a cross-attention, T positions of the decoder.
        rows: whether the position that writes a target word stands for it, or that which reads it.
        pair: the pair, where it may have words of its own.

    Returns:
        (..., target words, source words).
    """
    source_words, target_words = (pair.source_words, pair.target_words) if pair else (None, None)
    sources = _groups(t, [token.id for token in trace.src], source_words, "source")
    targets = _groups(t, trace.tgt_ids, target_words, "target")  # places in BOS ... EOS
    shift = 1 if rows == "written" else 0  # row i reads tgt_ids[i] and writes tgt_ids[i + 1]
    return merge_subwords(cells, [[n - shift for n in word] for word in targets], sources)


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


def error_rates(t: TranslationModel, pairs: Iterable[AlignedPair]) -> dict[Method, Rates]:
    """Error rates of all heads and of all layers.

    Args:
        t: a model.
        pairs: aligned by hand; the target is read, not generated.

    Returns:
        The rates by each method.
    """
    pairs = list(pairs)
    return rates_on(pairs, links_of_heads(t, pairs))


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


def links_of_heads(
    t: TranslationModel, pairs: Iterable[AlignedPair]
) -> dict[AlignedPair, LinksByHead]:
    """What each head of each layer, and then the layer as a whole, links in each pair."""
    return {pair: _links(t, pair) for pair in pairs}


def _links(t: TranslationModel, pair: AlignedPair) -> LinksByHead:
    trace = t.trace(pair.source, target=pair.target)
    maps = {cells: _maps(t, trace, cells) for cells in CELLS}
    return {
        method: [
            [strongest_links(head) for head in layer]
            for layer in word_maps(t, trace, maps[cells], rows, pair)
        ]
        for method, (cells, rows) in _METHODS.items()
    }


def _maps(t: TranslationModel, trace: Trace, cells: Cells) -> Array:
    """The heads of each layer and then the layer as a whole: (layers, H + 1, T, S)."""
    view = take_view(t.model, t.tokenizer, trace, ViewChoice(kind="cross", cells=cells))
    return np.concatenate([view.heads, view.layers[:, None]], axis=1)


def rates_on(
    pairs: Sequence[AlignedPair], links: Mapping[AlignedPair, LinksByHead]
) -> dict[Method, Rates]:
    """Error rates as ``error_rates`` gives them.

    Args:
        pairs: on which heads and layers are judged.
        links: what ``links_of_heads`` gave, of these pairs at least.
    """
    found = {}
    for method in METHODS:
        of_pairs = [links[pair][method] for pair in pairs]
        rates = np.array(
            [
                [
                    alignment_error_rate(zip(of_head, pairs, strict=True))
                    for of_head in zip(*layer, strict=True)
                ]
                for layer in zip(*of_pairs, strict=True)
            ]
        )  # (layers, H + 1)
        found[method] = Rates(rates[:, :-1].tolist(), rates[:, -1].tolist())
    return found
