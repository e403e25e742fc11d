"""Compute the alignment error rate of every cross-attention head and layer, by six methods.

Two rows can stand for a target word: the one that writes it (AWO, attention when the word is
output) and the one that reads it (AWI, when it is input). A cell can be a weight, a value norm (the
length of the weighted value vector), or a contribution (the share of that vector in the layer's
output).

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
from model.tokenizers.tokenizer import Side, Token, Tokenizer
from model.trace.tracing import InputError, read_sentence
from model.trace.transformer import ROWS, Rows, Trace
from model.translation_model import TranslationModel

Method = Literal[
    "weights AWO", "weights AWI", "norms AWO", "norms AWI", "contributions AWO", "contributions AWI"
]
METHODS: tuple[Method, ...] = get_args(Method)  # their names in files and on pages
_METHODS: Mapping[Method, tuple[Cells, Rows]] = dict(
    zip(METHODS, product(CELLS, ROWS), strict=True)
)
# (layers, H + 1, 2): ``right_links`` of each of the H heads, then of the whole layer.
Counts = dict[Method, Array]
_MAX_SHOWN = 50  # characters of a sentence that an error message quotes


class Rates(Struct, frozen=True):
    """The error rates of all heads and layers with one method."""

    heads: list[list[Number]]  # (layers, H)
    # The map of a layer is the mean of its heads' weights, or the norm of their summed vectors.
    layers: list[Number]


def options_of(method: Method) -> tuple[Cells, Rows]:
    """Return the measure of a method, and which row of a map it uses for a target word."""
    return _METHODS[method]


def strongest_links(weights: Array) -> Links:
    """Link every target word to the source word with the largest weight in its row.

    ``weights`` is (target words, source words); a link is (source word, target word), from 0.
    """
    return frozenset((int(row.argmax()), target) for target, row in enumerate(np.asarray(weights)))


def alignment_error_rate(results: Iterable[tuple[Links, AlignedPair]]) -> float:
    """Return the error rate 1 - (|A ∩ S| + |A ∩ P|) / (|A| + |S|) over all sentences together.

    Args:
        results: for each pair the links A that a method proposes, and the pair with its sure links
            S and possible links P.

    Returns:
        From 0 (every sure link is proposed, and only possible ones) to 1.

    Raises:
        ValueError: there is no link at all.

    >>> pair = AlignedPair("a b", "x y", frozenset({(0, 0)}), frozenset({(0, 0), (1, 1)}))
    >>> alignment_error_rate([(frozenset({(0, 0), (0, 1)}), pair)])  # 1 - (1 + 1) / (2 + 1)
    0.33333333333333337
    """
    counts = [right_links(links, pair) for links, pair in results]
    return float(_rates(np.sum(counts, axis=0)))


def right_links(links: Links, pair: AlignedPair) -> tuple[int, int]:
    """Count the links of one pair for its error rate.

    Returns:
        |A ∩ S| + |A ∩ P| and |A| + |S|, where A is ``links``. Their ratio is 1 - the error rate.
    """
    right = len(links & pair.sure) + len(links & pair.possible)
    total = len(links) + len(pair.sure)
    return right, total


def _rates(counts: Array) -> Array:
    """Return the error rates (...) of counts (..., 2), the two numbers of ``right_links``."""
    right, total = np.moveaxis(counts, -1, 0)
    if not total.all():
        raise ValueError("there is no link to judge")
    return 1 - right / total


def word_maps(
    t: TranslationModel, trace: Trace, cells: Array, rows: Rows, pair: AlignedPair
) -> Array:
    """Merge the subwords of cross-attention maps into words, and leave out special tokens.

    Args:
        t: the model.
        trace: of the pair.
        cells: (..., T, S) maps of cross-attention, with any measure.
        rows: which row stands for a target word: the one that writes it or the one that reads it.
        pair: the aligned pair, which says how both texts are split into words.

    Returns:
        (..., target words, source words).
    """
    source_ids = [token.id for token in trace.src]
    source_words = _groups(t, source_ids, pair.source_words, "source")
    target_words = _groups(t, trace.tgt_ids, pair.target_words, "target")
    # Row i reads tgt_ids[i] and predicts tgt_ids[i + 1].
    shift = 1 if rows == "written" else 0
    row_groups = [[position - shift for position in word] for word in target_words]
    return merge_subwords(cells, row_groups, source_words)


def _groups(
    t: TranslationModel, ids: Sequence[int], words: Words | None, side: Side
) -> list[list[int]]:
    """Return the positions of the tokens of each word.

    Args:
        t: the model and its tokenizer.
        ids: the ids of the tokens, with BOS and EOS.
        words: the words as the aligned pair splits them; None to split the text as the tokenizer
            does.
        side: whether the text is a source or a target.
    """
    if words is not None:
        return subwords_of(words, read_sentence(t.model, t.tokenizer, "".join(words), side=side))
    return words_of_tokens(t.tokenizer, ids, side)


def words_of_tokens(tokenizer: Tokenizer, ids: Sequence[int], side: Side) -> list[list[int]]:
    """Return the positions of the tokens of each word; special tokens are in none.

    Args:
        tokenizer: says which tokens belong to one word.
        ids: the ids of the tokens, with special tokens.
        side: whether the text is a source or a target.
    """
    numbers = tokenizer.word_ids(ids, side)
    return [group for group in group_by_word(numbers) if numbers[group[0]] is not None]


def subwords_of(words: Words, tokens: Sequence[Token]) -> list[list[int]]:
    """Return, for each word of a text, the indices of its tokens; special tokens are in none."""
    ends = list(accumulate(map(len, words)))
    return [
        [n for n, token in enumerate(tokens) if token.start < end and start < token.end]
        for start, end in zip([0, *ends], ends, strict=False)
    ]


def why_left_out(t: TranslationModel, pair: AlignedPair) -> str | None:
    """Return why the model cannot process one of the texts; None if it can process both."""
    try:
        read_sentence(t.model, t.tokenizer, pair.source)
        read_sentence(t.model, t.tokenizer, pair.target, side="target")
    except InputError as error:
        return str(error)
    return None


def check_pairs(t: TranslationModel, pairs: Iterable[AlignedPair]) -> None:
    """Raise ValueError for the first pair with a text that the model cannot process."""
    for pair in pairs:
        reason = why_left_out(t, pair)
        if reason:
            texts = f"{pair.source[:_MAX_SHOWN]!r} and {pair.target[:_MAX_SHOWN]!r}"
            raise ValueError(f"the aligned pair {texts} cannot be measured. {reason}")


def error_rates(t: TranslationModel, pairs: Iterable[AlignedPair]) -> dict[Method, Rates]:
    """Return the error rates of all heads and layers by each method, on all pairs together."""
    return rates_on([counts_of_heads(t, pair) for pair in pairs])


def counts_of_heads(t: TranslationModel, pair: AlignedPair) -> Counts:
    """Count the correct links of every head, and of every layer as a whole.

    Returns:
        By method: (layers, H + 1, 2), see ``right_links``; the last of H + 1 is the layer.
    """
    trace = t.trace(pair.source, target=pair.target)
    maps = {}
    for cells in CELLS:
        view = attention_view(t.model, t.tokenizer, trace, ViewOptions(kind="cross", cells=cells))
        layer_as_whole = view.layers[:, None]  # (layers, 1, T, S)
        maps[cells] = np.concatenate([view.heads, layer_as_whole], axis=1)  # (layers, H + 1, T, S)
    counts = {}
    for method, (cells, rows) in _METHODS.items():
        by_words = word_maps(t, trace, maps[cells], rows, pair)
        counts[method] = np.array(
            [[right_links(strongest_links(head), pair) for head in layer] for layer in by_words]
        )
    return counts


def rates_on(counts: Sequence[Counts]) -> dict[Method, Rates]:
    """Return the error rates over all pairs, from the counts of each pair."""
    result = {}
    for method in METHODS:
        total = np.sum([counts_of_pair[method] for counts_of_pair in counts], axis=0)
        rates = _rates(total)  # (layers, H + 1)
        result[method] = Rates(heads=rates[:, :-1].tolist(), layers=rates[:, -1].tolist())
    return result
