"""Alignment error rate, of every cross-attention head and layer, by six methods.

Two rows can stand for a target word: the one that writes it (AWO, attention when the word is
output) and the one that reads it (AWI, when it is input). And a cell can be a weight, the norm of
what the weight brings, or how much of it arrives in the layer's output.

Source: Och & Ney 2003, section 2.3 (error rate); Kobayashi et al. 2020, section 5; Ferrando et al.
2022a, sections 2 and 3.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, product
from typing import Literal, get_args

import numpy as np
from msgspec import Struct

from model.alignment.gold import AlignedPair, Links, Words
from model.arrays import Array
from model.files.json_file import Number
from model.maps.view import CELLS, Cells, ViewOptions, attention_view, group_by_word, merge_subwords
from model.tokenizers.tokenizer import Side, Token
from model.trace.tracing import InputError, read_sentence
from model.trace.transformer import ROWS, Rows, Trace
from model.translation_model import TranslationModel

Method = Literal[
    "weights AWO", "weights AWI", "norms AWO", "norms AWI", "contributions AWO", "contributions AWI"
]
METHODS: tuple[Method, ...] = get_args(Method)  # as they are called in files and on pages
_METHODS: Mapping[Method, tuple[Cells, Rows]] = dict(
    zip(METHODS, product(CELLS, ROWS), strict=True)
)
Counts = dict[Method, Array]  # (layers, H + 1, 2) ``right_links`` of a layer's heads, then its own
_SHOWN = 50  # characters of a sentence that is refused


class Rates(Struct, frozen=True):
    """Error rates of cross-attention by one method."""

    heads: list[list[Number]]  # (layers, H)
    layers: list[Number]  # of the mean of a layer's weights, or the norm of its summed vectors


def strongest_links(weights: Array) -> Links:
    """For every target word the source word that it looks at most: (target, source words)."""
    return frozenset((int(row.argmax()), t) for t, row in enumerate(np.asarray(weights)))


def alignment_error_rate(found: Iterable[tuple[Links, AlignedPair]]) -> float:
    """1 - (|A ∩ S| + |A ∩ P|) / (|A| + |S|), counted over all sentences together.

    Of links A found for each pair: 0, if all that are sure and none but possible ones, to 1.
    ValueError where there is no link at all.

    >>> pair = AlignedPair("a b", "x y", frozenset({(0, 0)}), frozenset({(0, 0), (1, 1)}))
    >>> alignment_error_rate([(frozenset({(0, 0), (0, 1)}), pair)])  # 1 - (1 + 1) / (2 + 1)
    0.33333333333333337
    """
    return float(_rates(np.sum([right_links(links, pair) for links, pair in found], axis=0)))


def right_links(links: Links, pair: AlignedPair) -> tuple[int, int]:
    """|A ∩ S| + |A ∩ P| and |A| + |S| of one pair."""
    right = len(links & pair.sure) + len(links & pair.possible)
    return right, len(links) + len(pair.sure)


def _rates(counts: Array) -> Array:
    right, total = np.moveaxis(counts, -1, 0)
    if not total.all():
        raise ValueError("there is no link to judge")
    return 1 - right / total


def word_maps(
    t: TranslationModel, trace: Trace, cells: Array, rows: Rows, pair: AlignedPair
) -> Array:
    """Subwords put together to words, special tokens left out.

    (..., T, S) cells of a cross-attention -> (..., target words, source words). ``rows`` says
    whether the position that writes a target word stands for it, or that which reads it.
    """
    sources = _groups(t, [token.id for token in trace.src], pair.source_words, "source")
    targets = _groups(t, trace.tgt_ids, pair.target_words, "target")  # places in BOS ... EOS
    shift = 1 if rows == "written" else 0  # row i reads tgt_ids[i] and writes tgt_ids[i + 1]
    return merge_subwords(cells, [[n - shift for n in word] for word in targets], sources)


def _groups(
    t: TranslationModel, ids: Sequence[int], words: Words | None, side: Side
) -> list[list[int]]:
    if words is not None:
        return subwords_of(words, read_sentence(t.model, t.tokenizer, "".join(words), side=side))
    numbers = t.tokenizer.word_ids(ids, side)
    return [group for group in group_by_word(numbers) if numbers[group[0]] is not None]


def subwords_of(words: Words, tokens: Sequence[Token]) -> list[list[int]]:
    """Which tokens of a text, with BOS and EOS, write each of its words, or a part of it."""
    ends = list(accumulate(map(len, words)))
    return [
        [n for n, token in enumerate(tokens) if token.start < end and start < token.end]
        for start, end in zip([0, *ends], ends, strict=False)
    ]


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


def error_rates(t: TranslationModel, pairs: Iterable[AlignedPair]) -> dict[Method, Rates]:
    """Error rates of all heads and layers by each method; the target is read, not generated."""
    return rates_on([counts_of_heads(t, pair) for pair in pairs])


def counts_of_heads(t: TranslationModel, pair: AlignedPair) -> Counts:
    """How much of what each head of each layer, and then the layer as a whole, links is right."""
    trace = t.trace(pair.source, target=pair.target)
    maps = {}  # the heads of each layer and then the layer as a whole: (layers, H + 1, T, S)
    for cells in CELLS:
        view = attention_view(t.model, t.tokenizer, trace, ViewOptions(kind="cross", cells=cells))
        maps[cells] = np.concatenate([view.heads, view.layers[:, None]], axis=1)
    return {
        method: np.array(
            [
                [right_links(strongest_links(head), pair) for head in layer]
                for layer in word_maps(t, trace, maps[cells], rows, pair)
            ]
        )
        for method, (cells, rows) in _METHODS.items()
    }


def rates_on(counts: Sequence[Counts]) -> dict[Method, Rates]:
    """``error_rates`` on the pairs of which these are the counts."""
    found = {}
    for method in METHODS:
        rates = _rates(np.sum([of_pair[method] for of_pair in counts], axis=0))  # (layers, H + 1)
        found[method] = Rates(rates[:, :-1].tolist(), rates[:, -1].tolist())
    return found
