"""Prepare the attention maps of one sentence: choose measure, labels and tokens."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from model.arrays import Array
from model.maps.contributions import (
    Contributions,
    alti,
    alti_plus,
    contributions,
    head_contributions,
    layer_contributions,
    take_apart,
)
from model.maps.measures import without_special
from model.maps.rollout import rollout
from model.maps.value_norms import head_norms, layer_norms
from model.nn.attention_model import AttentionModel
from model.tokenizers.tokenizer import BYTES_SUBWORD, Tokenizer, is_special
from model.trace.transformer import Rows, Trace
from model.transformer.heads import KINDS, Kind

Cells = Literal["weights", "value_norms", "contributions"]
Unit = Literal["subwords", "words"]
Aggregate = Literal["head", "mean", "max", "layers", "rollout"]
CELLS: tuple[Cells, ...] = get_args(Cells)
UNITS: tuple[Unit, ...] = get_args(Unit)
AGGREGATES: tuple[Aggregate, ...] = get_args(Aggregate)


@dataclass(frozen=True, kw_only=True)
class ViewOptions:
    """The options of a view: attention, row labels, measure and tokens."""

    kind: Kind  # which attention
    # label a decoder row by the token that it reads, or by the token that it writes
    rows: Rows = "read"
    cells: Cells = "weights"  # the measure: weights, value norms, or contributions
    unit: Unit = "subwords"  # each row and column is a subword, or a word
    # False removes special tokens, and rescales weights so that each row sums to 1
    special: bool = True

    @property
    def causal(self) -> bool:
        """Whether the causal mask hides exactly the cells to the right of the diagonal.

        With words, or without special tokens, a row that is labelled by the token it writes is
        shifted.
        """
        if self.kind != "decoder_self":
            return False
        is_plain = self.unit == "subwords" and self.special
        return is_plain or self.rows == "read"


@dataclass(frozen=True)
class AttentionView:
    """The maps of all layers and heads of one kind of attention."""

    heads: Array  # (layers, H, T, S)
    # (layers, T, S) map of each layer as a whole: the mean weight of its heads, the norm of their
    # summed vectors, or the contribution of this sum
    layers: Array
    # (layers, T, S) cumulative map up to each layer: rollout for the weights of a self-attention,
    # ALTI or ALTI+ for contributions; otherwise None
    rolled: Array | None
    query_tokens: tuple[str, ...]  # T labels
    key_tokens: tuple[str, ...]  # S labels
    normalised: bool  # whether every row of ``heads`` sums to 1


def attention_view(
    model: AttentionModel, tokenizer: Tokenizer, trace: Trace, options: ViewOptions
) -> AttentionView:
    """Compute the maps of one attention; merge subwords and remove tokens as the options say.

    Args:
        model: the Transformer that made the trace.
        tokenizer: of the model; it tells which subwords make a word.
        trace: of one sentence.
        options: what to show.
    """
    maps = trace.attention(options.kind, rows=options.rows)
    match options.cells:
        case "weights":
            heads = maps.weights
            layers = heads.mean(axis=1)
            rolled = None if options.kind == "cross" else rollout(heads)
        case "value_norms":
            heads, layers = _value_norms(model, trace, options.kind)
            rolled = None
        case "contributions":
            heads, layers, rolled = _contributions(model, trace, options.kind)

    view = AttentionView(
        heads=heads,
        layers=layers,
        rolled=rolled,
        query_tokens=maps.query_tokens,
        key_tokens=maps.key_tokens,
        normalised=options.cells == "weights",
    )
    if options.unit == "words":
        view = _merged_to_words(view, tokenizer, trace, options)
    if not options.special:
        view = _without_special_tokens(view)
    return view


def _value_norms(model: AttentionModel, trace: Trace, kind: Kind) -> tuple[Array, Array]:
    """Return the value norms of each head (layers, H, T, S) and of each layer (layers, T, S).

    Args:
        model: the model that made the trace.
        trace: the traced translation.
        kind: the attention.
    """
    heads = []
    layers = []
    for layer in range(model.config.n_layers):
        heads.append(head_norms(model, trace, kind, layer))
        layers.append(layer_norms(model, trace, kind, layer))
    return np.stack(heads), np.stack(layers)


def _contributions(model: AttentionModel, trace: Trace, kind: Kind) -> tuple[Array, Array, Array]:
    """Return the contributions of each head and layer, and ALTI (in a decoder, ALTI+).

    Each attention is decomposed once. Only one decomposition is in memory at a time.

    Args:
        model: the model that made the trace.
        trace: the traced translation.
        kind: the attention.
    """
    heads: list[Array] = []
    layers: list[Contributions] = []
    for layer in range(model.config.n_layers):
        parts = take_apart(model, trace, kind, layer)
        layers.append(contributions(parts))
        heads.append(head_contributions(parts, layers[-1]))

    if kind == "encoder_self":
        rolled = alti(layers)
    else:
        by_kind = {
            other: layers if other == kind else layer_contributions(model, trace, other)
            for other in KINDS
        }
        source, target = alti_plus(by_kind)
        rolled = source if kind == "cross" else target

    return np.stack(heads), np.stack([layer.tokens for layer in layers]), rolled


def aggregate(view: AttentionView, name: Aggregate, *, layer: int, head: int) -> Array:
    """Return one map of a view: of a head, or an aggregate of several heads.

    Args:
        view: of all layers and heads.
        name: ``"head"`` is the map of one head. ``"mean"`` and ``"max"`` are taken over the heads
            of a layer, ``"layers"`` is the mean over the heads of all layers. The "mean" of norms
            or contributions is that of the summed vectors. ``"rollout"`` goes up to a layer; it is
            ALTI or ALTI+ if the cells are contributions.
        layer: from 0; ``"layers"`` ignores it.
        head: from 0; only ``"head"`` uses it.

    Returns:
        (T, S). The rows of a maximum do not sum to 1. The rollout of a decoder's weights is an
        approximation that its authors did not define.

    Raises:
        ValueError: rollout of the weights of a cross-attention, or of value norms.
    """
    match name:
        case "head":
            return view.heads[layer, head]
        case "mean":
            return view.layers[layer]
        case "max":
            return view.heads[layer].max(axis=0)
        case "layers":
            return view.layers.mean(axis=0)
        case "rollout":
            if view.rolled is None:
                raise ValueError("rollout needs contributions, or the weights of a self-attention")
            return view.rolled[layer]


def group_by_word(word_ids: Sequence[int | None]) -> list[list[int]]:
    """Return the positions of each word's subwords. A special token is a separate group.

    Args:
        word_ids: for each subword the number of its word, from ``Tokenizer.word_ids``; None for a
            special token.

    >>> group_by_word([None, 0, 0, 1, None])
    [[0], [1, 2], [3], [4]]
    """
    groups: list[list[int]] = []
    previous: int | None = None
    for subword, word in enumerate(word_ids):
        if word is None or word != previous:
            groups.append([])
        groups[-1].append(subword)
        previous = word
    return groups


def spell(subwords: Sequence[str]) -> str:
    """Join the subwords of a word; complete byte sequences become characters.

    >>> spell((" Nguy", "<E1 BB>", "<85>", "n")), spell((" a", "<F0>"))
    (' Nguyễn', ' a<F0>')
    """
    pieces = []
    for subword in subwords:
        if BYTES_SUBWORD.fullmatch(subword):
            pieces.append(bytes.fromhex(subword.strip("<>")))
        else:
            pieces.append(subword.encode())
    try:
        return b"".join(pieces).decode()
    except UnicodeDecodeError:
        return "".join(subwords)


def merge_subwords(
    weights: Array, query_groups: Sequence[Sequence[int]], key_groups: Sequence[Sequence[int]]
) -> Array:
    """Merge subwords into words: sum over the key subwords, mean over the query subwords.

    Rows that summed to 1 still do.

    Args:
        weights: (..., T, S) maps.
        query_groups: the rows of each query word.
        key_groups: the columns of each key word.

    Returns:
        (..., query words, key words).

    Source: Clark et al. 2019, section 4.1.
    """
    summed = np.stack([weights[..., list(group)].sum(axis=-1) for group in key_groups], axis=-1)
    return np.stack([summed[..., list(group), :].mean(axis=-2) for group in query_groups], axis=-2)


def _merged_to_words(
    view: AttentionView, tokenizer: Tokenizer, trace: Trace, options: ViewOptions
) -> AttentionView:
    """Merge rows and columns of all maps, so that each label is a whole word.

    Args:
        view: the maps by tokens.
        tokenizer: knows which tokens form a word.
        trace: the traced translation.
        options: the attention, and whether rows are labelled with the token read or written.
    """
    source = group_by_word(tokenizer.word_ids([token.id for token in trace.src], "source"))
    read = group_by_word(tokenizer.word_ids(trace.tgt_ids[:-1], "target"))
    written = group_by_word(tokenizer.word_ids(trace.tgt_ids[1:], "target"))

    if options.kind == "encoder_self":
        rows = source
    elif options.rows == "read":
        rows = read
    else:
        rows = written
    columns = read if options.kind == "decoder_self" else source

    return _change_maps(
        view,
        lambda maps: merge_subwords(maps, rows, columns),
        query_tokens=[spell([view.query_tokens[n] for n in group]) for group in rows],
        key_tokens=[spell([view.key_tokens[n] for n in group]) for group in columns],
    )


def _without_special_tokens(view: AttentionView) -> AttentionView:
    """Remove the rows and columns of special tokens, unless all tokens are special."""
    rows = [n for n, token in enumerate(view.query_tokens) if not is_special(token)]
    columns = [n for n, token in enumerate(view.key_tokens) if not is_special(token)]
    if not rows or not columns:
        return view

    def ordinary(maps: Array) -> Array:
        if view.normalised:
            maps = without_special(maps, view.key_tokens)
        return maps[..., rows, :][..., columns]

    return _change_maps(
        view,
        ordinary,
        query_tokens=[view.query_tokens[n] for n in rows],
        key_tokens=[view.key_tokens[n] for n in columns],
    )


def _change_maps(
    view: AttentionView,
    change: Callable[[Array], Array],
    *,
    query_tokens: Sequence[str],
    key_tokens: Sequence[str],
) -> AttentionView:
    """Apply a function to all maps of a view, and replace the labels.

    Args:
        view: the maps to change.
        change: takes maps (..., T, S) and returns the changed maps.
        query_tokens: new labels of the rows.
        key_tokens: new labels of the columns.
    """
    return AttentionView(
        heads=change(view.heads),
        layers=change(view.layers),
        rolled=None if view.rolled is None else change(view.rolled),
        query_tokens=tuple(query_tokens),
        key_tokens=tuple(key_tokens),
        normalised=view.normalised,
    )
